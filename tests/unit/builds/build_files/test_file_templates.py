"""Templates of headers and of sources are filled where no configuration could write the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.build_files.file_templates import fill_templates
from crawler.builds.database.compile_database import survey_checkout
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree
from crawler.model import Dialect

TEMPLATE = """#pragma once
// version @lib_VERSION@ of @SOMEBODY@
#define LIB_VERSION @lib_VERSION_MAJOR@ * 100 + @lib_VERSION_MINOR@
#define LIB_PATCH ${PROJECT_VERSION_PATCH}
#cmakedefine LIB_WITH_FOO @WITH_FOO@
  #cmakedefine01 LIB_WITH_BAR
#define LIB_NAME "@LIB_NAME@"
#define LIB_WIDTH @LIB_WIDTH@
"""
BUILD_FILE = """cmake_minimum_required(VERSION 3.18)
project(lib LANGUAGES CXX VERSION 3.4)
set(LIB_WIDTH "64")
set(LIB_WIDTH 32)
find_package(NothingOfTheKind REQUIRED)
"""


def fill(root: Path, files: dict[str, str], *known_names: str) -> dict[str, str]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    filled = fill_templates(IncludeGraph(open_tree(root)), known_names)
    return {file.path: file.text for file in filled}


def test_values_are_those_of_the_build_files(tmp_path: Path) -> None:
    files = {"include/version.h.in": TEMPLATE, "CMakeLists.txt": BUILD_FILE}
    (text,) = fill(tmp_path, files).values()
    assert text.splitlines()[1:] == [
        "// version 3.4 of 0",
        "#define LIB_VERSION 3 * 100 + 4",
        "#define LIB_PATCH 0",
        "/* #undef LIB_WITH_FOO */",
        "  #define LIB_WITH_BAR 0",
        '#define LIB_NAME "0"',
        "#define LIB_WIDTH 64",
    ]


def test_the_header_stands_where_its_template_does(tmp_path: Path) -> None:
    assert list(fill(tmp_path, {"a/b/c.hpp.in": "#pragma once\n"})) == ["a/b/c.hpp"]


@pytest.mark.parametrize("suffix", [".in", ".cmake", ".cmakein", ".cmake.in"])
def test_a_template_is_known_by_its_suffix(tmp_path: Path, suffix: str) -> None:
    text = "#pragma once\n#define LIB_WIDTH @LIB_WIDTH@\n"
    filled = fill(
        tmp_path, {f"src/config.h{suffix}": text, "CMakeLists.txt": BUILD_FILE}
    )
    assert filled == {"src/config.h": "#pragma once\n#define LIB_WIDTH 64\n"}


def test_a_header_with_two_templates_is_written_once(tmp_path: Path) -> None:
    templates = {"config.h.in": "#undef A\n", "config.h.cmake": "#cmakedefine A\n"}
    assert list(fill(tmp_path, templates)) == ["config.h"]


@pytest.mark.parametrize("name", ["tool.cmake", "build.in", "script.py.in", "h.cmake"])
def test_a_template_of_something_else_is_no_header(tmp_path: Path, name: str) -> None:
    assert fill(tmp_path, {name: "set(A 1)\n"}) == {}


@pytest.mark.parametrize(
    "text", ["namespace @NAME@ { }\n", "int width = @WIDTH@;\n", "using ${TYPE};\n"]
)
def test_a_template_whose_unknown_values_are_code_is_left_out(
    text: str, tmp_path: Path
) -> None:
    assert fill(tmp_path, {"a.h.in": text}) == {}


def test_what_autoconf_leaves_off_may_be_set_by_a_command(tmp_path: Path) -> None:
    template = "#undef HAVE_A\n# undef HAVE_B\n#undef MAX\n#define MAX 3\n"
    (text,) = fill(tmp_path, {"config.h.in": template}).values()
    assert text.splitlines() == [
        "/* #undef HAVE_A */",
        "/* # undef HAVE_B */",
        "#undef MAX",
        "#define MAX 3",
    ]


def test_an_undef_beside_switches_of_cmake_is_meant(tmp_path: Path) -> None:
    template = "#cmakedefine HAVE_A\n#undef max\n"
    (text,) = fill(tmp_path, {"config.h.in": template}).values()
    assert text.splitlines() == ["/* #undef HAVE_A */", "#undef max"]


def test_a_known_value_may_be_code(tmp_path: Path) -> None:
    files = {"a.h.in": "using real = @REAL@;\n", "real.cmake": "set(REAL float)\n"}
    assert fill(tmp_path, files) == {"a.h": "using real = float;\n"}


def test_a_header_that_is_there_or_was_written_counts(tmp_path: Path) -> None:
    files = {"a/own.h.in": "", "b/own.h": "", "written.h.in": "", "page.html.in": ""}
    assert fill(tmp_path, files, "written.h") == {}


def test_a_template_that_is_huge_is_left_out(tmp_path: Path) -> None:
    assert fill(tmp_path, {"a.h.in": "//" * 200_000}) == {}


def test_a_project_that_cannot_be_configured_has_its_header(tmp_path: Path) -> None:
    kernel = '#include "version.h"\n__global__ void k(int *x) { x[0] = LIB_VERSION; }\n'
    files = {"version.h.in": TEMPLATE, "CMakeLists.txt": BUILD_FILE, "k.cu": kernel}
    fill(tmp_path, files)
    survey = survey_checkout(tmp_path)
    assert [file.path for file in survey.graph.tree.generated] == ["version.h"]
    assert survey.graph.missing_includes["k.cu"] == ()


KERNELS = "template <class T> __global__ void scan(size<T> *x) { x[0] = size<T>{}; }\n"
SOURCE = """#include "size.h"
#include "scan.kernels.hpp"
#cmakedefine SLICE @SLICE@
#if SLICE == 0
void launch(size<int> *x) { scan<int><<<1, 1>>>(x); }
#endif
"""
SCAN = {
    "size.h": "template <class T> struct size { T n; };\n",
    "scan.kernels.hpp": KERNELS,
    "scan.cpp.in": SOURCE,
}


def test_a_template_that_alone_includes_kernels_is_a_unit(tmp_path: Path) -> None:
    fill(tmp_path, SCAN)
    database = survey_checkout(tmp_path).database
    parsed = [database.commands[place] for group in database.groups for place in group]
    assert [(command.file, command.dialect) for command in parsed] == [
        ("scan.cpp", Dialect.CUDA)
    ]


def test_a_header_borrows_from_the_template_that_includes_it(tmp_path: Path) -> None:
    fill(tmp_path, SCAN)
    commands = {
        command.file: command for command in survey_checkout(tmp_path).database.commands
    }
    assert commands["scan.kernels.hpp"].borrowed_from == "scan.cpp"


@pytest.mark.parametrize("written", ["scan.cpp", "scan_0.cpp"])
def test_a_source_that_a_build_has_written_is_not_filled(
    written: str, tmp_path: Path
) -> None:
    assert fill(tmp_path, SCAN, written) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("info.cpp.in", 'const char *version = "@VERSION@";\n'),
        ("k.cu.in", "__global__ void k(@TYPE@ *x) { x[0] = 0; }\n"),
    ],
    ids=["nothing for a device", "an unknown type"],
)
def test_a_source_is_left_out(name: str, text: str, tmp_path: Path) -> None:
    assert fill(tmp_path, {name: text}) == {}


def test_a_source_with_kernels_is_filled(tmp_path: Path) -> None:
    text = "#define N @N@\n__global__ void k(int *x) { x[0] = N; }\n"
    filled = fill(tmp_path, {"k.cu.in": text, "CMakeLists.txt": "set(N 4)\n"})
    assert filled == {"k.cu": text.replace("@N@", "4")}
