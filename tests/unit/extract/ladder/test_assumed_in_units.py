"""A missing header costs no kernel that needs no more of it than names of types."""

from __future__ import annotations

import pytest

from crawler.model import Rung
from tests.unit.extract.ladder.conftest import ParseProject

MISSING = "#include <library/types.h>\n"
HOST = "#include <gtest/gtest.h>\n"


@pytest.mark.apt("clang-19")
def test_a_helper_and_a_template_that_take_such_types_are_found(
    parse_project: ParseProject,
) -> None:
    helper = (
        "template <class T> __device__ T *at(T *p, lib_int b, lib_stride s) "
        "{ return p + b * s; }\n"
    )
    text = (
        "template <class T> __global__ void k(T *x, lib_int n, lib_stride s) "
        "{ if (threadIdx.x < n) *at(x, n, s) = 0; }\n"
    )
    launch = "void run(float *x) { k<float><<<1, 1>>>(x, 1, 1); }\n"
    kernel = parse_project(f"{MISSING}{helper}{text}{launch}").kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.assumed == (
        "typedef int lib_int;",
        "typedef long long lib_stride;",
    )
    assert any("return p + b * s" in text for text in kernel.closure.fragments)
    assert kernel.closure.attempts == ()
    assert [instance.arguments for instance in kernel.instantiations] == [("float",)]


@pytest.mark.apt("clang-19")
def test_a_missing_header_costs_no_kernel_that_needs_integers_of_it(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, lib_handle *h, int *x) { x[n] = n % 2; }"
    kernel = parse_project(f"{MISSING}{text}\n").kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.assumed == (
        "typedef int lib_int;",
        "struct lib_handle;",
    )
    assert kernel.closure.fragments == (*kernel.closure.assumed, text)
    assert kernel.closure.origins[:2] == (None, None)
    assert kernel.closure.attempts == ()


@pytest.mark.apt("clang-19")
def test_nothing_is_assumed_where_no_header_is_missing(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, int *x) { x[n] = n % 2; }"
    kernel = parse_project(f"{text}\n").kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.assumed == ()


@pytest.mark.apt("clang-19")
def test_a_member_of_an_unknown_type_is_not_made_up(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, Shape s, int *x) { x[n] = s.width; }"
    kernel = parse_project(f"{MISSING}{text}\n").kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.assumed == ("typedef int lib_int;",)
    assert kernel.closure.attempts[0].startswith("minimal: ")
    assert "Shape" in kernel.closure.attempts[0]


@pytest.mark.apt("clang-19")
def test_a_missing_header_of_the_host_costs_nothing(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(int *x) { x[0] = 1; }"
    host = "TEST(Suite, Case) { EXPECT_EQ(1, 2); }\n"
    kernel = parse_project(f"{HOST}{text}\n{host}").kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.attempts == ()
    assert kernel.closure.assumed == ()


@pytest.mark.apt("clang-19")
def test_nothing_wider_is_tried_where_the_translation_unit_lacks_the_same(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_view v, float *x) { x[0] = v.data[1]; }"
    kernel = parse_project(f"{MISSING}{text}\n").kernels["k"]

    assert kernel.closure is not None
    assert [attempt.partition(":")[0] for attempt in kernel.closure.attempts] == [
        "minimal",
        "wide",
    ]
    assert "lacks 'lib_view', too" in kernel.closure.attempts[-1]


@pytest.mark.apt("clang-19")
def test_a_missing_header_keeps_no_unit_from_wider_ones_that_it_does_not_concern(
    parse_project: ParseProject,
) -> None:
    pair = "struct Pair { int a, b; };"
    text = "__global__ void k(Pair *x) { x[0].a = x[0].b; }"
    host = "void run(lib_view v);"
    parsed = parse_project(f"{MISSING}{host}\n{pair}\n{text}\n")
    kernel = parsed.climb_from("k", text)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.REDUCED
