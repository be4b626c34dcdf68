from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.builds.commands.database_entries import (
    DatabaseEntry,
    read_entries,
    translate_entries,
)
from crawler.errors import BadDatabase
from crawler.model import Dialect, FlagsOrigin

Plant = Callable[[dict[str, str]], Any]


def code_of(path: Path) -> str:
    with pytest.raises(BadDatabase) as raised:
        read_entries(path)
    return raised.value.code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "malformed-database"),
        (b"[", "malformed-database"),
        (b"{}", "malformed-database"),
        (b'[{"directory": "/x"}]', "malformed-database"),
        (b'[{"file": 3}]', "malformed-database"),
        (b"\xff\xfe", "malformed-database"),
        (b"[" * 100_000, "malformed-database"),
        (b"[]", "empty-database"),
    ],
)
def test_each_way_to_be_unusable_has_its_code(
    tmp_path: Path, content: bytes, code: str
) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_bytes(content)
    assert code_of(path) == code


def test_an_empty_database_says_that_a_cached_build_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text("[]")
    with pytest.raises(BadDatabase, match=r"cached\? Build from clean$"):
        read_entries(path)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.binary(max_size=200)
    | st.lists(
        st.dictionaries(
            st.sampled_from(
                ["file", "directory", "arguments", "command", "output", "x"]
            ),
            st.text(max_size=20)
            | st.lists(st.text(max_size=8), max_size=4)
            | st.none()
            | st.integers(),
        ),
        max_size=4,
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "compile_commands.json"
    path.write_bytes(content)
    try:
        entries = read_entries(path)
    except BadDatabase:
        return
    assert all(
        isinstance(word, str) for entry in entries for word in entry.split_words()
    )


def test_relative_paths_mean_the_entrys_directory(plant: Plant) -> None:
    graph = plant({"src/k.cu": "", "inc/k.h": ""})
    entry = DatabaseEntry(
        file="../src/k.cu",
        directory="build",
        arguments=["nvcc", "-I../inc", "-c", "../src/k.cu"],
    )
    (command,) = translate_entries(
        [entry], graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    ).commands
    assert (command.file, command.arguments, command.directory) == (
        "src/k.cu",
        ("-Iinc",),
        ".",
    )
    assert command.dialect is Dialect.CUDA


def test_a_database_of_another_machine_is_mapped_by_the_ends_of_paths(
    plant: Plant,
) -> None:
    graph = plant({"src/a.cu": "", "src/b é.cu": "", "inc/k.h": ""})
    entries = [
        DatabaseEntry(
            file=f"/home/ann/proj/src/{name}",
            directory="/home/ann/proj/build",
            arguments=["nvcc", "-I/home/ann/proj/inc"],
        )
        for name in ("a.cu", "b é.cu")
    ]
    result = translate_entries(
        entries, graph, base_folder="/anywhere", origin=FlagsOrigin.EXPORTED
    )
    assert [(command.file, command.arguments) for command in result.commands] == [
        ("src/a.cu", ("-Iinc",)),
        ("src/b é.cu", ("-Iinc",)),
    ]


def test_a_folder_that_the_archive_keeps_elsewhere_is_found_by_its_end(
    plant: Plant,
) -> None:
    files = {
        "pkg/examples/ops/k.cu": "",
        "a/other/ops/twice.cu": "",
        "b/other/ops/twice.cu": "",
    }
    names = ("examples/ops/k.cu", "other/ops/twice.cu", "ops/k.cu")
    entries = [
        DatabaseEntry(file=name, directory="/p", arguments=["nvcc", "-DX", name])
        for name in names
    ]
    result = translate_entries(
        entries,
        plant(files),
        base_folder="/p",
        origin=FlagsOrigin.RECORDED,
        recorded_root="/p",
    )
    assert [(command.file, command.arguments) for command in result.commands] == [
        ("pkg/examples/ops/k.cu", ("-DX",))
    ]


def test_a_database_of_another_tree_is_refused(plant: Plant) -> None:
    graph = plant({"src/k.cu": "", "main.cpp": ""})
    other_entries = [
        DatabaseEntry(file=f"/other/x{number}.cu", directory="/other")
        for number in range(3)
    ]
    for entries in (
        other_entries,
        [*other_entries, DatabaseEntry(file="/other/deep/main.cpp", directory="/")],
    ):
        with pytest.raises(BadDatabase) as raised:
            translate_entries(
                entries, graph, base_folder="/other", origin=FlagsOrigin.EXPORTED
            )
        assert raised.value.code == "database-for-another-tree"
        assert "export one here" in str(raised.value)


def test_what_a_host_compiler_compiles_is_host_code(plant: Plant) -> None:
    graph = plant(
        {"a.cpp": "", "k.cu": "#include <hip/hip_runtime.h>\n__global__ void k();"}
    )
    entries = [
        DatabaseEntry(file="a.cpp", arguments=["g++", "a.cpp"]),
        DatabaseEntry(file="k.cu", arguments=["clang++", "k.cu"]),
    ]
    result = translate_entries(
        entries, graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    )
    assert [command.dialect for command in result.commands] == [None, Dialect.HIP]


def test_what_calls_amds_builtins_is_hip_whoever_is_asked_to_compile_it(
    plant: Plant,
) -> None:
    text = "#include <cuda_fp16.h>\n__global__ void k(int* x) { *x = __builtin_amdgcn_readlane(*x, 0); }"
    graph = plant(
        {"k.cu": text, "l.cu": "#include <cuda_fp16.h>\n__global__ void l();"}
    )
    entries = [
        DatabaseEntry(file=name, command=f"nvcc -c {name}") for name in ("k.cu", "l.cu")
    ]
    result = translate_entries(
        entries, graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    )
    assert [command.dialect for command in result.commands] == [
        Dialect.HIP,
        Dialect.CUDA,
    ]


@pytest.mark.parametrize(
    ("file", "command", "expected"),
    [
        ("a.cpp", "nvcc -c a.cpp", None),
        ("a.cpp", "nvcc -x cu -c a.cpp", Dialect.CUDA),
        ("k.cu", "nvcc -x c++ -c k.cu", None),
        ("a.cpp", "hipcc -c a.cpp", Dialect.HIP),
        ("a.cpp", "clang++ -x hip -c a.cpp", Dialect.HIP),
    ],
)
def test_the_language_that_a_command_names_counts_first(
    plant: Plant, file: str, command: str, expected: Dialect | None
) -> None:
    graph = plant({"a.cpp": "", "k.cu": "__global__ void k();"})
    result = translate_entries(
        [DatabaseEntry(file=file, command=command)],
        graph,
        base_folder=str(graph.tree.root),
        origin=FlagsOrigin.EXPORTED,
    )
    assert [command.dialect for command in result.commands] == [expected]


def test_one_arch_at_a_time_is_one_command_for_all_of_them(plant: Plant) -> None:
    graph = plant({"k.cu": ""})
    entries = [
        DatabaseEntry(file="k.cu", command=f"nvcc -arch=sm_{number} -std=c++14 k.cu")
        for number in (80, 90)
    ]
    (command,) = translate_entries(
        entries, graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    ).commands
    assert (command.offload_archs, command.standard) == (("sm_80", "sm_90"), "c++14")


def test_a_database_made_on_windows_is_read(plant: Plant) -> None:
    graph = plant({"src/a.cu": "", "src/b.cu": "", "inc/k.h": ""})
    entries = [
        DatabaseEntry(
            file=rf"C:\p\src\{name}.cu",
            directory=r"C:\p\build",
            command=r'nvcc.exe -I..\inc "-IC:\p\src" -DX C:\p',
        )
        for name in "ab"
    ]
    result = translate_entries(
        entries, graph, base_folder="/anywhere", origin=FlagsOrigin.EXPORTED
    )
    assert [(command.file, command.arguments) for command in result.commands] == [
        ("src/a.cu", ("-Iinc", "-Isrc", "-DX")),
        ("src/b.cu", ("-Iinc", "-Isrc", "-DX")),
    ]


def test_what_was_left_out_is_in_the_log(plant: Plant) -> None:
    graph = plant({"k.cu": ""})
    entries = [
        DatabaseEntry(file="k.cu", command="nvcc -O2 -I/etc -include /etc/passwd k.cu")
    ]
    result = translate_entries(
        entries, graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    )
    assert result.commands[0].arguments == ()
    assert "-I /etc" in result.log
    assert "set aside: -O2" in result.log
    assert "-include /etc/passwd" in result.log


def test_a_response_file_outside_the_tree_is_not_read(
    plant: Plant, tmp_path: Path
) -> None:
    (tmp_path / "secret.rsp").write_text("-DSECRET")
    graph = plant({"k.cu": "", "in.rsp": "-DINSIDE"})
    entries = [DatabaseEntry(file="k.cu", command="nvcc @../secret.rsp @in.rsp k.cu")]
    result = translate_entries(
        entries, graph, base_folder=str(graph.tree.root), origin=FlagsOrigin.EXPORTED
    )
    assert result.commands[0].arguments == ("-DINSIDE",)
