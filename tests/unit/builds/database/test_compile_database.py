from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.errors import NoKernels
from crawler.model import CompileDatabase, Dialect, FlagsOrigin

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
LAUNCH = "void f(float* p) { k<<<1, 1>>>(p); }\n"
PROJECT = {
    "csrc/common/k.cuh": KERNEL,
    "csrc/cuda/a.cu": f'#include "k.cuh"\n{LAUNCH}',
    "csrc/cuda/b.cu": f'#include "part.cu"\n{KERNEL}',
    "csrc/cuda/part.cu": KERNEL,
    "csrc/lonely.cuh": KERNEL,
    "csrc/bind.cpp": "PYBIND11_MODULE(x, m) {}\n",
    "csrc/host.cpp": "int main() {}\n",
    "setup.py": "define_macros += [('WITH_CUDA', None)]",
}


def list_parsed_files(database: CompileDatabase) -> list[str]:
    return sorted(
        database.commands[position].file
        for group in database.groups
        for position in group
    )


def test_every_file_with_device_code_has_a_command_and_is_seen(plant: Plant) -> None:
    database = build_compile_database(
        plant(PROJECT).tree.root, strategies=("synthesised",)
    )
    commands = {command.file: command for command in database.commands}
    assert commands.keys() == PROJECT.keys() - {"setup.py", "csrc/host.cpp"}
    assert list_parsed_files(database) == [
        "csrc/cuda/a.cu",
        "csrc/cuda/b.cu",
        "csrc/lonely.cuh",
    ]
    assert commands["csrc/common/k.cuh"].borrowed_from == "csrc/cuda/a.cu"
    assert commands["csrc/common/k.cuh"].arguments == ("-std=c++17", "-Icsrc/common")
    assert commands["csrc/cuda/part.cu"].borrowed_from == "csrc/cuda/b.cu"
    assert commands["csrc/lonely.cuh"].borrowed_from == ""
    assert commands["csrc/bind.cpp"].dialect is None
    assert (database.relevant, database.covered) == (5, 0)


def test_a_database_that_the_tree_carries_beats_what_is_made_up(plant: Plant) -> None:
    entry = {
        "directory": "/ann/csrc",
        "file": "cuda/a.cu",
        "arguments": ["nvcc", "-DREAL", "-Icommon", "cuda/a.cu"],
    }
    files = {**PROJECT, "build/compile_commands.json": json.dumps([entry])}
    database = build_compile_database(plant(files).tree.root, strategies=("existing",))
    commands = {command.file: command for command in database.commands}
    assert commands["csrc/cuda/a.cu"].arguments == ("-DREAL", "-Icsrc/common")
    assert commands["csrc/cuda/a.cu"].origin is FlagsOrigin.EXPORTED
    assert commands["csrc/common/k.cuh"].origin is FlagsOrigin.BORROWED
    assert commands["csrc/cuda/b.cu"].origin is FlagsOrigin.SYNTHESISED
    assert (database.relevant, database.covered) == (5, 2)
    assert {report.strategy: report.entries for report in database.strategies} == {
        "existing": 1,
        "synthesised": 3,
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[]", "empty-database"),
        ("{", "malformed-database"),
        ('[{"file": "/x/y.cu"}]', "database-for-another-tree"),
    ],
)
def test_a_database_that_cannot_be_used_is_reported_and_the_floor_holds(
    plant: Plant, content: str, code: str
) -> None:
    database = build_compile_database(
        plant({**PROJECT, "compile_commands.json": content}).tree.root,
        strategies=("existing",),
    )
    report = database.strategies[0]
    assert (report.strategy, report.entries, report.code) == ("existing", 0, code)
    assert report.message
    assert "csrc/cuda/a.cu" in list_parsed_files(database)


def test_no_kernel_is_an_expected_end(plant: Plant) -> None:
    with pytest.raises(
        NoKernels,
        match="no CUDA or HIP kernel in its 2 C and C\\+\\+ files, nor in strings: name",
    ):
        build_compile_database(
            plant(
                {"a.cpp": "// __global__\nint x;", "b.h": "#define G __global__\n"}
            ).tree.root
        )


def test_nothing_to_build_is_another(plant: Plant) -> None:
    with pytest.raises(NoKernels) as raised:
        build_compile_database(plant({"README.md": "__global__ void k();"}).tree.root)
    assert raised.value.code == "nothing-to-build"


def test_other_peoples_files_do_not_count_unless_there_is_nothing_else(
    plant: Plant,
) -> None:
    own = build_compile_database(
        plant({"k.cu": KERNEL, "third_party/x.cu": KERNEL}).tree.root,
        strategies=("synthesised",),
    )
    assert own.relevant == 1
    assert list_parsed_files(own) == ["k.cu", "third_party/x.cu"]


def test_all_vendored_counts_all(plant: Plant) -> None:
    assert (
        build_compile_database(
            plant({"vendor/x.cu": KERNEL}).tree.root, strategies=("synthesised",)
        ).relevant
        == 1
    )


def test_what_is_only_ever_included_borrows_over_any_number_of_steps(
    plant: Plant,
) -> None:
    files = {
        "k.cu": '#include "part.cu"\n',
        "part.cu": f'#include "deep.inl"\n{KERNEL}',
        "deep.inl": f'#include "deeper.inc"\n{KERNEL}',
        "deeper.inc": KERNEL,
    }
    database = build_compile_database(
        plant(files).tree.root, strategies=("synthesised",)
    )
    assert {command.file: command.borrowed_from for command in database.commands} == {
        "k.cu": "", "part.cu": "k.cu", "deep.inl": "k.cu", "deeper.inc": "k.cu",
    }  # fmt: skip


def test_a_host_source_with_kernels_of_its_own_keeps_its_flags(plant: Plant) -> None:
    entry = {"directory": ".", "file": "k.cpp", "command": "g++ -DREAL -c k.cpp"}
    files = {
        "k.cpp": f"#ifdef __CUDACC__\n{KERNEL}#endif\n",
        "compile_commands.json": json.dumps([entry]),
    }
    database = build_compile_database(plant(files).tree.root, strategies=("existing",))
    (command,) = database.commands
    assert (command.arguments, command.origin, command.dialect) == (
        ("-DREAL",),
        FlagsOrigin.EXPORTED,
        Dialect.CUDA,
    )
    assert database.covered == 1


def test_the_same_tree_gives_the_same_database(plant: Plant, tmp_path: Path) -> None:
    root = plant(PROJECT).tree.root
    first = build_compile_database(root, strategies=("synthesised",))
    root.rename(tmp_path / "moved")
    assert (
        build_compile_database(tmp_path / "moved", strategies=("synthesised",)) == first
    )


def test_what_only_quotes_kernels_is_parsed_by_itself_and_asks_no_build_system(
    plant: Plant,
) -> None:
    files = {
        "setup.py": "raise SystemExit('never run')\n",
        "pkg/a.py": "k = RawKernel('__global__ void k() {}')\n",
        "pkg/c.pyx": "k = Template('__global__ void ${name}(${arguments}) { ${body} }')\n",
        "pkg/b.py": "'''__global__ void k() {}'''\n",
        "src/jit.cpp": 'auto s = R"(__global__ void k() {})";\n',
        "src/host.cpp": "int x;\n",
    }
    database = build_compile_database(plant(files).tree.root)
    assert list_parsed_files(database) == ["pkg/a.py", "pkg/c.pyx", "src/jit.cpp"]
    assert all(
        command.dialect is None
        for command in database.commands
        if command.file in list_parsed_files(database)
    )
    assert database.strategies == ()
