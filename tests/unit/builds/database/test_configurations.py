from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.database.compile_database import (
    build_compile_database,
    survey_checkout,
)
from crawler.builds.database.condition_macros import read_condition_macros
from crawler.builds.database.configurations import (
    MAX_CONFIGURATIONS,
    group_configurations,
    select_extra_configurations,
)
from crawler.builds.database.explanation import explain_command
from crawler.model import CompileCommand, Dialect, FlagsOrigin

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"


def command(
    *arguments: str,
    file: str = "k.cu",
    origin: FlagsOrigin = FlagsOrigin.RECORDED,
    host: bool = False,
) -> CompileCommand:
    dialect = None if host else Dialect.CUDA
    return CompileCommand(
        directory=".", file=file, arguments=arguments, dialect=dialect, origin=origin
    )


def list_kept_arguments(*commands: CompileCommand) -> list[tuple[str, ...]]:
    return [entry.arguments for entry in group_configurations(commands)["k.cu"]]


def test_commands_that_differ_are_kept_the_fullest_first() -> None:
    assert list_kept_arguments(
        command("-DA"), command("-DB", "-DC"), command("-DA")
    ) == [
        ("-DB", "-DC"),
        ("-DA",),
    ]


def test_a_variant_that_sets_more_macros_comes_behind_what_it_is_a_variant_of() -> None:
    plain, variant = (
        ("-DNAME=op", "-std=c++17"),
        ("-DNAME=stochastic_op", "-DSTOCHASTIC", "-std=c++17"),
    )
    assert list_kept_arguments(command(*variant), command(*plain)) == [plain, variant]
    variants = [
        command("-DNAME=x", "-DSTOCHASTIC", f"-DN{number}")
        for number in range(MAX_CONFIGURATIONS)
    ]
    assert list_kept_arguments(*variants, command(*variant), command(*plain)) == [
        plain,
        *(entry.arguments for entry in variants[: MAX_CONFIGURATIONS - 1]),
    ]


def test_neither_of_two_builds_is_a_variant_of_the_other() -> None:
    of_another = replace(command("-DNAME"), strategy="cmake")
    assert list_kept_arguments(command("-DNAME", "-DCUDA"), of_another)[0] == (
        "-DNAME",
        "-DCUDA",
    )


def test_of_a_hosts_source_the_fullest_command_comes_first() -> None:
    assert list_kept_arguments(
        command(host=True), command("-DWITH_CUDA", host=True)
    ) == [
        ("-DWITH_CUDA",),
        (),
    ]


def test_what_is_more_trusted_comes_before_what_is_fuller() -> None:
    exported = command(origin=FlagsOrigin.EXPORTED)
    assert list_kept_arguments(command("-DA", "-DB"), exported) == [(), ("-DA", "-DB")]


def test_a_cu_file_that_is_built_for_both_is_cuda() -> None:
    as_hip = replace(command("-DUSE_HIP", "-DA"), dialect=Dialect.HIP)
    assert (
        group_configurations([as_hip, command("-DA")])["k.cu"][0].dialect
        is Dialect.CUDA
    )
    assert group_configurations([as_hip])["k.cu"][0].dialect is Dialect.HIP


def test_a_device_compilers_command_comes_before_a_host_compilers() -> None:
    assert [
        entry.dialect
        for entry in group_configurations([command("-DA", host=True), command()])[
            "k.cu"
        ]
    ] == [Dialect.CUDA, None]


def test_what_is_made_up_is_no_configuration() -> None:
    made_up = command("-DA", "-DB", origin=FlagsOrigin.SYNTHESISED)
    assert list_kept_arguments(made_up, command("-DA")) == [("-DA",)]
    assert list_kept_arguments(made_up) == [("-DA", "-DB")]


def test_the_number_of_configurations_is_bounded() -> None:
    assert (
        len(list_kept_arguments(*(command(f"-DN={number}") for number in range(50))))
        == MAX_CONFIGURATIONS
    )


@pytest.mark.parametrize(
    ("files", "fullest", "other", "expected"),
    [
        (
            {"k.cu": f"#ifdef SIMPLE\n{KERNEL}#endif"},
            ("-DA", "-DB"),
            ("-DSIMPLE",),
            True,
        ),
        (
            {"k.cu": f"#if WIDTH == 4\n{KERNEL}#else\n#endif"},
            ("-DA", "-DWIDTH=8"),
            ("-DWIDTH=4",),
            True,
        ),
        (
            {"k.cu": f"#if A\n#elif SIMPLE\n{KERNEL}#endif"},
            ("-DA", "-DB"),
            ("-DSIMPLE",),
            True,
        ),
        (
            {"k.cu": f"#ifdef SIMPLE\nint x;\n#endif\n{KERNEL}"},
            ("-DA", "-DB"),
            ("-DSIMPLE",),
            False,
        ),
        (
            {"k.cu": f"#ifdef OTHER\n{KERNEL}#endif"},
            ("-DOTHER", "-DB"),
            ("-DOTHER",),
            False,
        ),
        (
            {"k.cu": '#include "k.h"', "k.h": f"#ifdef SIMPLE\n{KERNEL}#endif"},
            ("-DA", "-DB"),
            ("-DSIMPLE",),
            True,
        ),
        (
            {
                "k.cu": '#include "config.h"\n#ifdef HAS_K\nvoid f() { k<<<1, 1>>>(); }\n#endif',
                "config.h": "#if defined(SIMPLE)\n#define HAS_K 1\n#endif",
            },
            ("-DA", "-DB"),
            ("-DSIMPLE",),
            True,
        ),
    ],
)
def test_another_configuration_is_parsed_where_it_decides_over_a_kernel(
    plant: Plant,
    files: dict[str, str],
    fullest: tuple[str, ...],
    other: tuple[str, ...],
    expected: bool,
) -> None:
    commands = [command(*fullest), command(*other)]
    assert select_extra_configurations(plant(files), "k.cu", commands) == (
        commands[1:] if expected else []
    )


def test_alternatives_are_in_the_database_and_those_that_show_more_are_parsed(
    plant: Plant,
) -> None:
    def entry(file: str, flags: str) -> dict[str, str]:
        return {"directory": ".", "file": file, "command": f"nvcc {flags} -c {file}"}

    entries = [entry("k.cu", flags) for flags in ("-DA -DB", "-DSIMPLE", "-DSIMPLE")]
    entries += [entry("plain.cu", flags) for flags in ("-DA -DB", "-DSIMPLE")]
    files = {"k.cu": f"{KERNEL}#ifdef SIMPLE\n{KERNEL}#endif", "plain.cu": KERNEL}
    graph = plant({**files, "compile_commands.json": json.dumps(entries)})
    database = build_compile_database(graph.tree.root, strategies=("existing",))
    assert [(entry.file, entry.arguments) for entry in database.commands] == [
        ("k.cu", ("-DA", "-DB")),
        ("plain.cu", ("-DA", "-DB")),
    ]
    assert [(entry.file, entry.arguments) for entry in database.alternatives] == [
        ("k.cu", ("-DSIMPLE",)),
        ("plain.cu", ("-DSIMPLE",)),
    ]
    parsed = [
        database.entries[position] for group in database.groups for position in group
    ]
    assert {(entry.file, entry.arguments) for entry in parsed} == {
        ("k.cu", ("-DA", "-DB")),
        ("plain.cu", ("-DA", "-DB")),
        ("k.cu", ("-DSIMPLE",)),
    }
    assert len(parsed) == 3


def test_what_is_left_out_says_why(plant: Plant) -> None:
    flags = [
        "-DA -DB -DC -DD",
        "-DA",
        *(f"-DA -DB -DN{number}" for number in range(MAX_CONFIGURATIONS - 1)),
        "-DX",
    ]
    entries = [
        {"directory": ".", "file": "k.cu", "command": f"nvcc {arguments} -c k.cu"}
        for arguments in flags
    ]
    graph = plant({"k.cu": KERNEL, "compile_commands.json": json.dumps(entries)})
    candidates = explain_command(
        survey_checkout(graph.tree.root, strategies=("existing",)), "k.cu"
    ).candidates
    outcomes = [entry.outcome for entry in candidates if entry.strategy == "existing"]
    alternatives = ["another configuration"] * (MAX_CONFIGURATIONS - 2)
    assert outcomes == [
        "another configuration",
        "used",
        *alternatives,
        "not used: more macros",
        "not used: listed later",
    ]


@given(
    st.lists(
        st.sampled_from(
            [
                "#if A",
                "#elif B",
                "#else",
                "#endif",
                "#define C",
                "__global__",
                "<<<",
                "x",
            ]
        )
    )
)
def test_any_order_of_directives_is_read(lines: list[str]) -> None:
    names, defines = read_condition_macros("\n".join(lines).encode())
    assert names <= {"A", "B"}
    assert {name for name, _ in defines} <= {"C"}


@pytest.mark.parametrize(
    "piece",
    [
        "#if A\n",
        "#if A\n#define B\n",
        "#if A\n__global__\n",
        "#elif A\n",
        "#define \\\n",
    ],
)
def test_hostile_conditions_take_linear_time(piece: str) -> None:
    content = (piece * (600_000 // len(piece))).encode()
    started = time.process_time()
    read_condition_macros(content)
    assert time.process_time() - started < 10
