"""A flat unit is the project's text as its compiler reads it, line by line."""

from __future__ import annotations

import pytest

from crawler.extract.ladder.flat_unit import flatten_unit
from tests.unit.extract.ladder.conftest import ParsedProject, ParseProject

KERNEL = "__global__ void scale(float *x) { x[0] = FACTOR * x[0]; }\n"


@pytest.fixture(scope="module")
def included_twice(parse_project: ParseProject) -> ParsedProject:
    return parse_project(
        {
            "a.cu": (
                "#define ITEM(name) name,\n"
                "enum Kind {\n"
                '#include "items.inc"\n'
                "};\n"
                "#undef ITEM\n"
                "#define ITEM(name) int get_##name();\n"
                '#include "items.inc"\n'
                "#define FACTOR 2\n" + KERNEL
            ),
            "items.inc": "ITEM(red)\nITEM(blue)\n",
        }
    )


def test_a_header_stands_where_it_is_included(parse_project: ParseProject) -> None:
    flat_unit = parse_project(
        {
            "a.cu": f'int before;\n#include "b.cuh"\nint behind;\n{KERNEL}',
            "b.cuh": '# /* not twice */ pragma once\n#/**/include "c.cuh"\n#define FACTOR inner\n',
            "c.cuh": "#pragma once\nconstexpr int inner = 3;\n",
        }
    ).flatten()

    lines = [line for line in flat_unit.text.splitlines() if line.strip()]
    assert lines == [
        "int before;",
        "constexpr int inner = 3;",
        "#define FACTOR inner",
        "int behind;",
        KERNEL.strip(),
    ]


def test_a_header_that_is_entered_twice_stands_twice(
    included_twice: ParsedProject,
) -> None:
    assert included_twice.flatten().text.count("ITEM(red)") == 2


def test_each_piece_has_the_lines_of_its_file(included_twice: ParsedProject) -> None:
    for piece in included_twice.flatten().pieces:
        file_lines = piece.source.raw.split("\n")
        lines = piece.text.split("\n")
        for number, line in enumerate(lines[:-1], piece.first_line):
            # a piece that ends in front of a directive shares its last line
            assert line in (file_lines[number - 1], "")


def test_a_guard_keeps_a_header_from_being_read_again(
    parse_project: ParseProject,
) -> None:
    flat_unit = parse_project(
        {
            "a.cu": f'#include "b.cuh"\n#include "b.cuh"\n{KERNEL}',
            "b.cuh": "#ifndef B\n#define B\n#define FACTOR 2\n#endif\n",
        }
    ).flatten()

    assert flat_unit.text.count("#define FACTOR") == 1


def test_host_functions_lose_their_bodies_and_no_line(
    parse_project: ParseProject,
) -> None:
    flat_unit = parse_project(
        "#define FACTOR 2\nvoid prepare(int n) {\n  if (n)\n    prepare(n - 1);\n}\n"
        + KERNEL
    ).flatten()

    lines = flat_unit.text.splitlines()
    assert lines[1].replace(" ", "") == "voidprepare(intn);"
    assert lines[5] == KERNEL.strip()


def test_branches_stay_for_the_device_to_choose(parse_project: ParseProject) -> None:
    flat_unit = parse_project(
        "#ifdef __CUDA_ARCH__\n#define FACTOR 2\n#else\n#define FACTOR 1\n#endif\n"
        + KERNEL
    ).flatten()

    assert "#define FACTOR 2" in flat_unit.text
    assert "#define FACTOR 1" in flat_unit.text


def test_what_the_command_line_includes_comes_first(
    parse_project: ParseProject,
) -> None:
    flat_unit = parse_project(
        {"a.cu": KERNEL, "config.h": "#define FACTOR 7\n"}, "-include", "config.h"
    ).flatten()

    assert flat_unit.text.startswith("#define FACTOR 7")


def test_headers_of_libraries_are_named_apart(parse_project: ParseProject) -> None:
    flat_unit = parse_project(
        "#include <vector>\n#include <cub/block/block_reduce.cuh>\n#define FACTOR 2\n"
        + KERNEL
    ).flatten()

    assert "include" not in flat_unit.text
    assert "<vector>" in flat_unit.library_headers
    assert "<cub/cub.cuh>" in flat_unit.library_headers


def test_a_file_that_is_entered_very_often_is_too_much(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        {
            "a.cu": '#include "b.inc"\n' * 60 + "#define FACTOR 2\n" + KERNEL,
            "b.inc": "// " + "x" * 50_000 + "\n",
        }
    )
    context = parsed.parse_pass.context

    assert (
        flatten_unit(parsed.parse_pass.clang_unit, parsed.root, parsed.command, context)
        is None
    )


def test_many_openings_of_templates_are_read_at_once(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        "#define FACTOR 2\n" + KERNEL + "#if 0\n" + "template x\n" * 50_000 + "#endif\n"
    )

    assert "scale" in parsed.flatten().text


def test_templates_of_the_host_lose_their_bodies_and_members_do_not(
    parse_project: ParseProject,
) -> None:
    flat_unit = parse_project(
        "#define FACTOR 2\n"
        "template <class T> struct Box { T get(); };\n"
        "template <class T> T Box<T>::get() { return T(7); }\n"
        "template <class T> void prepare(T n) { prepare(n - 1); }\n"
        "template <class T> __device__ T twice(T n) { return n + n; }\n" + KERNEL
    ).flatten()

    assert "prepare(n - 1)" not in flat_unit.text
    assert "return T(7)" in flat_unit.text
    assert "return n + n" in flat_unit.text


def test_a_byte_order_mark_goes(parse_project: ParseProject) -> None:
    mark = "\ufeff"
    flat_unit = parse_project(
        {"a.cu": f'#include "b.cuh"\n{KERNEL}', "b.cuh": f"{mark}#define FACTOR 2\n"}
    ).flatten()
    assert flat_unit.text.startswith("#define FACTOR 2")


def test_built_in_variables_that_the_host_declares_are_none_of_the_units(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        "#define FACTOR 2\n#ifndef __CUDA_ARCH__\nextern const dim3 blockDim;\n#endif\n"
        "__global__ void k(int *x) { x[0] = blockDim.x * FACTOR; }\n"
    )
    closure = parsed.kernels["k"].closure
    assert closure is not None
    assert "extern const dim3" not in "\n".join(closure.fragments)


def test_a_constant_of_the_project_by_the_name_of_a_built_in_one_stays(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        "#define FACTOR 2\nnamespace detail { constexpr int warpSize = 32; }\n"
        "__global__ void k(int *x) { int a[detail::warpSize]; a[0] = x[0]; x[1] = a[0]; }\n"
    )
    closure = parsed.kernels["k"].closure
    assert closure is not None
    assert "constexpr int warpSize = 32" in "\n".join(closure.fragments)


def test_a_lambda_of_a_member_function_takes_nothing_from_its_file(
    parse_project: ParseProject,
) -> None:
    # the class that stands for it has a text of its own, whose range is none of the file
    text = (
        "template <class F> __global__ void each(F f) { f(1); }\n"
        "struct Owner { int *x; void run(); };\n"
        "void Owner::run() {\n  int *y = x;\n"
        "  each<<<1, 1>>>([=] __device__ (int i) { y[i] = i; });\n}\n"
    )
    whole = parse_project(text).flatten().text
    assert "__global__ void each(F f) { f(1); }" in whole
