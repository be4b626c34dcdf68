from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.database.file_command import find_file_command, find_project_root
from crawler.errors import CrawlError
from crawler.model import FlagsOrigin

Plant = Callable[[dict[str, str]], Any]
KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"
PROJECT = {
    "pyproject.toml": "",
    "inc/k.cuh": KERNEL,
    "inc/lonely.cuh": KERNEL,
    "inc/left.cuh": KERNEL,
    "src/a.cu": '#include "k.cuh"\n',
    "src/left_out.cu": '#include "left.cuh"\n',
}
ENTRIES = [
    {
        "directory": "build",
        "file": "../src/a.cu",
        "command": "nvcc -DREAL -I../inc -c ../src/a.cu",
    }
]


@pytest.fixture
def root(plant: Plant) -> Path:
    project_root: Path = plant(
        {**PROJECT, "build/compile_commands.json": "[]"}
    ).tree.root
    entries = [{**entry, "directory": str(project_root / "build")} for entry in ENTRIES]
    (project_root / "build/compile_commands.json").write_text(json.dumps(entries))
    return project_root


def failure(file: Path, database: Path) -> tuple[str, str]:
    with pytest.raises(CrawlError) as raised:
        find_file_command(file, database)
    return raised.value.code, str(raised.value)


@pytest.mark.parametrize("database", ["build", "build/compile_commands.json"])
def test_a_source_has_its_own_entry(root: Path, database: str) -> None:
    compiled = find_file_command(root / "src/a.cu", root / database)
    command, project_root = compiled.command, compiled.root
    assert (command.file, command.arguments, project_root) == (
        "src/a.cu",
        ("-DREAL", "-Iinc"),
        root,
    )
    assert command.origin is FlagsOrigin.EXPORTED


def test_a_header_borrows_from_the_unit_that_includes_it(root: Path) -> None:
    command = find_file_command(root / "inc/k.cuh", root / "build").command
    assert (command.borrowed_from, command.arguments) == (
        "src/a.cu",
        ("-DREAL", "-Iinc"),
    )
    assert command.origin is FlagsOrigin.BORROWED


def test_each_failure_has_its_own_code_and_says_what_to_do(root: Path) -> None:
    kernel = root / "src/a.cu"
    (root / "other").mkdir()
    assert failure(root / "gone.cu", root / "build")[0] == "no-file"
    assert failure(kernel, root / "nowhere")[0] == "no-database-folder"
    assert (
        failure(kernel, root / "nowhere/compile_commands.json")[0]
        == "no-database-folder"
    )
    assert failure(kernel, root / "other")[0] == "no-database"
    assert failure(kernel, root / "other/compile_commands.json")[0] == "no-database"
    database = root / "other/compile_commands.json"
    database.write_text("not json")
    assert failure(kernel, root / "other")[0] == "malformed-database"
    database.write_text("[]")
    assert failure(kernel, database)[0] == "empty-database"
    database.write_text(
        json.dumps([{"directory": "/x", "file": "y.cu", "command": "nvcc y.cu"}])
    )
    assert failure(kernel, database)[0] == "database-for-another-tree"


def test_a_header_that_no_unit_includes_is_told_the_rule(root: Path) -> None:
    code, message = failure(root / "inc/lonely.cuh", root / "build")
    assert code == "no-entry"
    assert "nobody compiles headers" in message
    assert "no unit includes it" in message


def test_a_header_whose_unit_has_no_entry_either_names_that_unit(root: Path) -> None:
    code, message = failure(root / "inc/left.cuh", root / "build")
    assert code == "no-entry"
    assert "src/left_out.cu" in message


def test_a_source_that_the_build_left_out_is_no_header(root: Path) -> None:
    code, message = failure(root / "src/left_out.cu", root / "build")
    assert code == "no-entry"
    assert "header" not in message
    assert "leave out --compile-db" in message


def test_without_a_database_the_command_is_made_up(root: Path) -> None:
    compiled = find_file_command(root / "src/a.cu", None)
    command, project_root = compiled.command, compiled.root
    assert (command.arguments, project_root) == (("-std=c++17", "-Iinc"), root)
    assert command.origin is FlagsOrigin.SYNTHESISED
    header = find_file_command(root / "inc/k.cuh", None).command
    assert (header.borrowed_from, header.arguments) == ("src/a.cu", command.arguments)


def test_a_database_outside_an_unmarked_project_widens_its_root(tmp_path: Path) -> None:
    for name, text in {
        "p/src/k.cu": '#include "k.h"\n',
        "p/inc/k.h": "",
        "p/lib/l.cpp": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    entries = [
        {
            "directory": str(tmp_path),
            "file": "p/src/k.cu",
            "command": "nvcc -Ip/inc p/src/k.cu",
        },
        {
            "directory": str(tmp_path),
            "file": "p/lib/l.cpp",
            "command": "g++ p/lib/l.cpp",
        },
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    compiled = find_file_command(tmp_path / "p/src/k.cu", tmp_path)
    command, root = compiled.command, compiled.root
    assert (root, command.file, command.arguments) == (
        tmp_path / "p",
        "src/k.cu",
        ("-Iinc",),
    )


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ((".git", "a/setup.py", "a/b/CMakeLists.txt"), "."),
        (("a/setup.py", "a/b/CMakeLists.txt", "CMakeLists.txt"), "a"),
        (("a/CMakeLists.txt", "a/b/CMakeLists.txt"), "a"),
        ((), "a/b"),
    ],
)
def test_the_project_of_a_file(
    tmp_path: Path, marks: tuple[str, ...], expected: str
) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for mark in marks:
        (tmp_path / mark).touch()
    (tmp_path / "a/b/k.cu").touch()
    assert find_project_root(tmp_path / "a/b/k.cu") == (tmp_path / expected).resolve()
