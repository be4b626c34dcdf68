"""Kernels and launches in files that no translation unit reads."""

from __future__ import annotations

from pathlib import Path

from crawler.extract.unit.orphan_files import find_orphan_commands, find_orphan_launches
from crawler.model import (
    CompileCommand,
    CompileDatabase,
    Dialect,
    FlagsOrigin,
)

KERNEL = "__global__ void scale(float *x) { x[0] = 2; }\n"
LAUNCH = "void run(float *x) { scale<<<1, 32>>>(x); }\n"


def make_database(*files: str) -> CompileDatabase:
    commands = [
        CompileCommand(
            directory=".",
            file=file,
            arguments=(),
            dialect=Dialect.CUDA,
            origin=FlagsOrigin.SYNTHESISED,
        )
        for file in files
    ]
    return CompileDatabase(commands=tuple(commands), strategies=())


def list_orphans(root: Path, *read_files: str) -> list[str]:
    database = make_database("a.cuh", "b.cuh", "c.h")
    return [
        command.file for command in find_orphan_commands(root, database, read_files)
    ]


def test_files_with_kernels_that_nothing_reads_are_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.cuh").write_text(KERNEL)
    (tmp_path / "b.cuh").write_text(KERNEL)
    (tmp_path / "c.h").write_text("int plain();\n")
    assert list_orphans(tmp_path) == ["a.cuh", "b.cuh"]
    assert list_orphans(tmp_path, "a.cuh") == ["b.cuh"]


def test_links_and_missing_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "b.cuh").write_text(KERNEL)
    (tmp_path / "a.cuh").symlink_to(tmp_path / "b.cuh")
    assert list_orphans(tmp_path) == ["b.cuh"]


def test_launches_in_unread_files_have_that_for_a_reason(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "run.cpp").write_text(LAUNCH)
    (tmp_path / "read.cu").write_text(LAUNCH)
    (tmp_path / "notes.md").write_text(LAUNCH)
    (tmp_path / "plain.cpp").write_text("void run();\n")

    (launch,) = find_orphan_launches(tmp_path, ["read.cu"])
    assert (launch.span.path, launch.kernel_name) == ("sub/run.cpp", "scale")
    assert launch.reason == "unread-file: no unit of the compile database reads it"
