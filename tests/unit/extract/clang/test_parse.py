"""Units are parsed with what their sources name; what goes wrong is told by its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.builds.commands.compiler_flags import KEPT_FLAGS
from crawler.errors import ParseFailed
from crawler.extract.clang import parse
from crawler.extract.clang.skipped_ranges import find_skipped_ranges
from crawler.model import Dialect

Project = Callable[..., Any]


def parse_text(project: Project, text: str, **options: Any) -> tuple[Any, Path]:
    planted = project({"src/a.cu": text})
    options.setdefault("has_torch", False)
    unit = parse.parse_unit(planted.root, planted.commands[0], **options)
    return unit, planted.root


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#include <torch/extension.h>", True),
        ("at::Tensor x;", True),
        ("cv::Mat::zeros(3);", False),
        ("AT_DISPATCH(x)", False),
        ("c10::Half h;\n#include <c10/Half.h>", True),
        ("#include <vector>", False),
        ("", False),
    ],
)
def test_sources_that_name_pytorch(text: str, expected: bool) -> None:
    assert parse.uses_torch(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#include <vector>", True),
        ("  #  include  <string>", True),
        ("int a;\n#include <map>\n", True),
        ('#include "vector"', False),
        ("// #include <vector>", False),
        ("#include <vector.h>", False),
        ("#include <cstdint>", False),
    ],
)
def test_sources_that_include_large_headers(text: str, expected: bool) -> None:
    assert parse.uses_large_std_headers(text) is expected


@pytest.mark.parametrize(
    ("file_name", "directory", "path"),
    [
        ("/repo/src/a.cu", "build", "src/a.cu"),
        ("../src/a.cu", "build", "src/a.cu"),
        ("a.cu", ".", "a.cu"),
        ("src/../b.h", ".", "b.h"),
        ("/repository/a.cu", ".", None),
        ("/usr/include/stdio.h", ".", None),
        ("../../a.cu", "build", None),
        ("/repo", ".", None),
    ],
)
def test_paths_are_relative_to_the_checkout(
    file_name: str, directory: str, path: str | None
) -> None:
    assert parse.path_in_checkout(file_name, Path("/repo"), directory) == path


def test_the_root_of_a_file_system_is_a_checkout_too() -> None:
    assert parse.path_in_checkout("/a.cu", Path("/"), ".") == "a.cu"


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("flag", sorted(KEPT_FLAGS))
def test_a_kernel_is_seen_under_every_flag_that_a_command_keeps(
    project: Project, flag: str, dialect: Dialect
) -> None:
    planted = project({"src/a.cu": "__global__ void fill(float* out) { *out = 1; }\n"})
    (command,) = planted.commands
    arguments = (*command.arguments, flag)
    command = replace(command, arguments=arguments, dialect=dialect)

    unit = parse.parse_unit(
        planted.root, command, has_torch=False, device_dialect=dialect
    )
    assert parse.collect_diagnostics(unit, planted.root) == ()
    names = [cursor.spelling for cursor in unit.cursor.get_children()]
    assert "fill" in names


def test_errors_are_told_with_their_place(project: Project) -> None:
    unit, root = parse_text(project, "int a = ;\n\nmissing_type b;\n")
    first, second = parse.collect_diagnostics(unit, root)
    assert (first.path, first.line, first.severity) == ("src/a.cu", 1, "error")
    assert "missing_type" in second.message
    assert second.line == 3


def test_warnings_are_not_errors(project: Project) -> None:
    unit, root = parse_text(project, "#warning look\nint a;\n")
    assert parse.collect_diagnostics(unit, root) == ()


def test_a_missing_file_ends_no_parse(project: Project) -> None:
    unit, root = parse_text(project, '#include "none.h"\n__global__ void k() {}\n')
    (diagnostic,) = parse.collect_diagnostics(unit, root)
    assert "none.h" in diagnostic.message
    assert "k" in {cursor.spelling for cursor in unit.cursor.get_children()}


def test_not_every_error_of_a_broken_unit_is_kept(project: Project) -> None:
    text = "\n".join(f"missing_{number} x{number};" for number in range(60))
    planted = project({"a.cu": text})
    command = replace(planted.commands[0], arguments=("-ferror-limit=0",))
    unit = parse.parse_unit(planted.root, command, has_torch=False)
    assert len(unit.diagnostics) == 60
    assert len(parse.collect_diagnostics(unit, planted.root)) == 50


def test_what_no_branch_takes_is_skipped(project: Project) -> None:
    text = "#if 0\nint a;\n#else\nint b;\n#endif\n#ifdef OTHER\nint c;\n#endif\n"
    unit, root = parse_text(project, text)
    ranges = find_skipped_ranges(unit, root, ".")
    texts = [text[start:end] for _, start, end in ranges]
    assert [path for path, _, _ in ranges] == ["src/a.cu", "src/a.cu"]
    assert ["int a" in skipped for skipped in texts] == [True, False]
    assert ["int c" in skipped for skipped in texts] == [False, True]
    assert not any("int b" in skipped for skipped in texts)


def test_replaced_files_are_read_in_place_of_those_on_disk(project: Project) -> None:
    unit, _ = parse_text(
        project, "int on_disk;\n", replaced_files={"src/a.cu": b"int replaced;\n"}
    )
    assert [cursor.spelling for cursor in unit.cursor.get_children()][-1] == "replaced"


def test_a_text_is_read_before_the_unit(project: Project) -> None:
    unit, root = parse_text(
        project, "Before value;\n", prepended_text="struct Before {};\n"
    )
    assert parse.collect_diagnostics(unit, root) == ()


def test_a_file_that_is_gone_fails_the_parse(project: Project) -> None:
    planted = project({"a.cu": "int a;\n"})
    (planted.root / "a.cu").unlink()
    with pytest.raises(ParseFailed, match=r"a\.cu"):
        parse.parse_unit(planted.root, planted.commands[0], has_torch=False)
