"""What a kernel, or what it needs, includes within itself stands in the unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.unit.extract.builders import unit_of

pytestmark = pytest.mark.apt("clang-19")

BODY = """\
#define SCALE 3
__device__ int twice(int x) { return 2 * x; }
template <class T> __device__ T evaluate(T x) {
  if (x > 1) {
#include "table.inc"
  }
  return x;
}
__global__ void k(float *out) { out[0] = evaluate(out[0]); }
"""


def read_unit(project: Callable[..., Any], files: Mapping[str, str]) -> str:
    (kernel,) = project(files).kernels()
    assert not kernel.unit_problem
    unit = unit_of(kernel)
    assert not unit.attempts
    return unit.source


def test_a_table_in_a_body_stands_in_its_place_with_what_it_names(
    project: Callable[..., Any],
) -> None:
    table = '#include "deep/row.inc"\n    x += twice(2);\n'
    source = read_unit(
        project,
        {"k.cu": BODY, "table.inc": table, "deep/row.inc": "    x *= SCALE;\n"},
    )

    assert ".inc" not in source
    assert source.index("x > 1") < source.index("x *= SCALE") < source.index("x += tw")
    assert "#define SCALE 3" in source
    assert "int twice(int x)" in source


def test_members_of_a_class_stand_in_their_place(project: Callable[..., Any]) -> None:
    text = """\
struct Box {
#include "members.inl"
};
__global__ void k(Box *box) { box->size = box->twice(); }
"""
    members = "  int size;\n  __device__ int twice() const { return 2 * size; }\n"
    source = read_unit(project, {"k.cu": text, "members.inl": members})

    assert members in source
    assert "members.inl" not in source


def test_a_body_that_is_left_out_takes_no_file_along(
    project: Callable[..., Any],
) -> None:
    text = """\
struct Log {
  int level;
  void print() {
#include "words.inc"
  }
};
__global__ void k(Log *log) { log->level = 1; }
"""
    source = read_unit(
        project, {"k.cu": text, "words.inc": 'const char *words = "many";\n'}
    )

    assert "words" not in source


def test_a_file_that_includes_itself_comes_to_an_end(
    project: Callable[..., Any],
) -> None:
    # each inclusion of it is cut off by the same macros as for a compiler
    table = """\
#ifndef ONCE
#define ONCE
#include "table.inc"
#include "table.inc"
#endif
    x += twice(1);
"""
    source = read_unit(project, {"k.cu": BODY, "table.inc": table})

    assert source.count("x += twice(1);") <= 1 << 10
