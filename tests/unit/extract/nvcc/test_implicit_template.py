"""Calls of member templates say so in a unit, as clang asks for where nvcc does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.nvcc.implicit_template import insert_template
from crawler.validate.build import build_unit

SOURCE = """
struct Tile { template <int Rows, class T> __device__ int count(T n) { return Rows * n; } };
struct Group { __device__ Tile tile() const { return {}; } };
template <class G> __global__ void fill(const G* groups, int* out) {
  G group = groups[0];
  out[0] = group.tile().count<3, unsigned>(out[1]) + groups->tile() . count<sizeof(int) * 2, int>(2);
}
void run(const Group* groups, int* out) { fill<<<1, 1>>>(groups, out); }
"""


@pytest.mark.apt
def test_a_unit_says_which_members_are_templates(project: Callable[..., Any]) -> None:
    source = SOURCE.replace("sizeof(int) * 2", "2 * 4")
    (kernel,) = project({"k.cu": source}).kernels()
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("template <class T> int f(T a) { return a.b<3>(0); }", "a.template b<3>(0)"),
        ("template <class T> int f(T a) { return a->b<T, 2>(0); }", "a->template b<T, 2>(0)"),
        (
            "template <class T> int f(T a) { return a.b< Pair<T, 1> >(0); }",
            "a.template b< Pair<T, 1> >(0)",
        ),
    ],
)  # fmt: skip
def test_the_word_stands_before_the_name(text: str, wanted: str) -> None:
    assert wanted in insert_template(text)
    assert insert_template(insert_template(text)) == insert_template(text)


def test_many_comparisons_cost_linear_time() -> None:
    text = f"template <class T> bool f(T a) {{ return {'a.b<' * 300_000}3; }}"
    assert insert_template(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "int f(A a) { return a.b<3>(0); }",
        "template <class T> int f(T a, T c) { return a.n < c.n && c.m > (1); }",
        "template <class T> bool f(T a) { return a.n < 3; }",
        "template <class T> bool f(T a) { return a.n < (3) || a.m > (4); }",
    ],
)
def test_comparisons_are_left_alone(text: str) -> None:
    assert insert_template(text) == text
