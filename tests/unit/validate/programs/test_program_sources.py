"""Which sources make programs that launch a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import CompileCommand, Dialect, FlagsOrigin, Kernel, Launch, Span
from crawler.validate.programs.program_sources import find_programs
from tests.plain import plain_kernel, plain_unit

MAIN = "int main(int argc, char** argv) { return run(); }\n"


def make_command(file: str) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=file,
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )


def make_kernel(*launch_files: str) -> Kernel:
    launches = tuple(
        Launch(
            span=Span(path=path, line=1, end_line=1, offset=0, end_offset=1),
            kernel_name="k",
            grid="1",
            block="1",
        )
        for path in launch_files
    )
    return plain_kernel(plain_unit(""), launches=launches)


def write(root: Path, files: dict[str, str]) -> list[CompileCommand]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return [make_command(name) for name in files]


def test_a_source_that_launches_and_has_a_main_is_a_program(tmp_path: Path) -> None:
    commands = write(tmp_path, {"a/x.cu": MAIN, "a/y.cu": MAIN, "b/z.cu": MAIN})

    programs = find_programs(tmp_path, commands, make_kernel("a/x.cu"))

    assert [program.main.file for program in programs] == ["a/x.cu"]


def test_a_main_beside_the_launching_source_makes_the_program(tmp_path: Path) -> None:
    commands = write(tmp_path, {"a/main.cu": MAIN, "a/k.cu": "void run();\n"})

    (program,) = find_programs(tmp_path, commands, make_kernel("a/k.cu"))

    assert program.main.file == "a/main.cu"
    assert [command.file for command in program.neighbours] == ["a/k.cu"]


@pytest.mark.parametrize(
    "text", ["// int main()\n", "int x = domain(3);\n", "void remain(int a);\n"]
)
def test_what_only_looks_like_a_main_is_none(tmp_path: Path, text: str) -> None:
    commands = write(tmp_path, {"x.cu": text})

    assert find_programs(tmp_path, commands, make_kernel("x.cu")) == ()


def test_a_link_out_of_the_checkout_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.cu").write_text(MAIN)
    root = tmp_path / "root"
    root.mkdir()
    (root / "x.cu").symlink_to(tmp_path / "outside.cu")

    assert find_programs(root, [make_command("x.cu")], make_kernel("x.cu")) == ()


def test_a_source_that_another_includes_is_a_part_of_that_one(tmp_path: Path) -> None:
    files = {
        "a/main.cu": MAIN + '#include "kernels.cu"\n',
        "a/kernels.cu": ' #include "./body.cpp"\n',
        "a/body.cpp": "void run();\n",
        "a/rest.cu": '#include "missing.cu"\n',
    }
    commands = write(tmp_path, files)

    (program,) = find_programs(tmp_path, commands, make_kernel("a/main.cu"))

    assert [command.file for command in program.neighbours] == ["a/rest.cu"]
