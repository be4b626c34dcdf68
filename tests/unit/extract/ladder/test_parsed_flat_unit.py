"""A wide unit holds its kernels at their places, and leaves out what only the host can read."""

from __future__ import annotations

import pytest

from crawler.model import Rung
from tests.unit.extract.ladder.conftest import ParseProject, join_text

pytestmark = pytest.mark.apt("clang-19")

FILES = {
    "a.cu": (
        '#include "helper.cuh"\n'
        "\n"
        "template <class T> __global__ void k(T *x) {\n"
        "  x[0] = twice(x[0]);\n"
        "}\n"
        "void launch(float *x) { k<float><<<1, 1>>>(x); }\n"
    ),
    "helper.cuh": "\n// helps\ntemplate <class T>\n__device__ T twice(T x) {\n  return x + x;\n}\n",
}


def test_each_part_tells_its_file_and_lines(parse_project: ParseProject) -> None:
    closure = parse_project(FILES).reduce_to("k")

    places = [
        (origin.path, origin.line, origin.end_line)
        for origin in closure.origins
        if origin is not None
    ]
    assert places == [("helper.cuh", 3, 6), ("a.cu", 3, 5)]


def test_two_kernels_of_one_name_are_told_apart_by_their_place(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        "namespace a { __global__ void k(int *x) { x[0] = 1; } }\n"
        "namespace b { __global__ void k(int *x) { x[0] = 2; } }\n"
    )
    second = next(
        kernel for kernel in parsed.facts.kernels if kernel.qualified_name == "b::k"
    )
    closure = parsed.parse().reduce_to(second)

    assert closure is not None
    assert "x[0] = 2" in join_text(closure)


def test_the_whole_unit_holds_what_no_word_leads_to(
    parse_project: ParseProject,
) -> None:
    parsed = parse_project(
        "struct Unrelated { int n; };\n"
        + FILES["a.cu"].replace(
            '#include "helper.cuh"\n',
            "__device__ float twice(float x) { return x + x; }\n",
        )
    )
    closure = parsed.parse().keep_whole(parsed.kernels["k"])

    assert "struct Unrelated" in join_text(closure)
    assert closure.rung is Rung.WIDE


def test_host_code_that_a_device_cannot_read_is_left_out(
    parse_project: ParseProject,
) -> None:
    # a variable of the host may be made by what no compiler for a device accepts
    parsed = parse_project(
        "struct Registry { Registry(unknown_type); };\n"
        "static int registered = undeclared_function(1);\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
    )

    assert "undeclared_function" not in parsed.parse().source.raw


def test_device_variables_are_told_as_state(parse_project: ParseProject) -> None:
    closure = parse_project(
        "__constant__ float table[4];\n"
        "__global__ void k(float *x) { x[0] = table[0]; }\n"
    ).reduce_to("k")

    assert [variable.name for variable in closure.state] == ["table"]


def test_what_another_source_would_define_is_defined(
    parse_project: ParseProject,
) -> None:
    closure = parse_project(
        "struct Params { float gain; };\n"
        "extern __constant__ Params params;\n"
        "extern __constant__ Params params;\n"
        "extern __device__ int seen;\n"
        "__device__ int seen;\n"
        "__global__ void k(float *x) { x[seen] = params.gain; }\n"
    ).reduce_to("k")

    text = join_text(closure)
    assert text.count("extern __constant__ Params params;") == 1
    assert text.count("__constant__ Params params;") == 2
    assert "extern __device__ int seen;" in text
