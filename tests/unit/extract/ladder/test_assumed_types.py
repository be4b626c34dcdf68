"""What an unknown name must be, as far as the text that uses it tells."""

from __future__ import annotations

import pytest

from crawler.extract.ladder.assumed_types import assume_type, find_unknown_names
from tests.unit.extract.ladder.conftest import ParseProject

MISSING = "#include <library/types.h>\n"
HOST = "#include <gtest/gtest.h>\n"


@pytest.mark.parametrize(
    ("name", "text", "declaration"),
    [
        ("lib_n", "void f(lib_n n, int *x) { x[n] = 0; }", "typedef int lib_n;"),
        ("lib_n", "void f(lib_n n, int *x) { *x = n % 3; }", "typedef int lib_n;"),
        ("lib_n", "for (lib_n i = 0; i < 4; ++i) g();", "typedef int lib_n;"),
        (
            "lib_n",
            "void f(const lib_n n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) g(); }",
            "typedef int lib_n;",
        ),
        # what libraries call integers
        (
            "lib_stride",
            "T *f(T *p, lib_stride s) { return p + s; }",
            "typedef long long lib_stride;",
        ),
        ("lib_int", "void f(lib_int n) { g(n); }", "typedef int lib_int;"),
        ("IndexType", "void f(IndexType n) { g(n); }", "typedef int IndexType;"),
        # a name alone
        ("Handle", "void f(Handle *h, int *x) { g(h); }", "struct Handle;"),
        ("Handle", "void f(const Handle &h) { g(h); }", "struct Handle;"),
        ("Handle", "void f(Handle h) { g(h); }", "struct Handle {};"),
        # more than a name is needed, and nobody knows it
        ("Shape", "void f(Shape s, int *x) { x[0] = s.width; }", ""),
        ("Shape", "void f(Shape *s, int *x) { x[0] = s->width; }", ""),
        ("real", "void f(real y, float *x) { x[0] = y * 2.5f; }", ""),
        ("real", "void f(real y, float *x) { x[0] = sqrtf(y); }", ""),
        ("real", "void f(real *y, int i) { y[i] = 0; }", ""),
        ("real", "void f(real *y) { *y = 0; }", ""),
        # no type at all
        ("lib_upper", "void f(int uplo) { if (uplo == lib_upper) g(); }", ""),
        ("lib_size", "// a lib_size n, in words\nvoid f() { g(lib_size); }", ""),
    ],
)
def test_a_type_is_assumed_by_its_uses(name: str, text: str, declaration: str) -> None:
    assert assume_type(name, text) == declaration


def test_what_the_project_declares_is_not_unknown() -> None:
    messages = [
        "unknown type name 'lib_int'; did you mean 'int'?",
        "use of undeclared identifier 'Own'",
        "no member named 'x' in 'S'",
        "unknown type name 'lib_int'",
    ]
    assert find_unknown_names(messages, {"Own"}) == ["lib_int"]


@pytest.mark.apt("clang-19")
def test_a_missing_header_costs_no_kernel_that_needs_integers_of_it(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, lib_handle *h, int *x) { x[n] = n % 2; }"
    kernel = parse_project(f"{MISSING}{text}\n").climb_from("k", text)

    assert kernel.closure is not None
    assert kernel.closure.assumed == (
        "typedef int lib_int;",
        "struct lib_handle;",
    )
    assert kernel.closure.fragments == (*kernel.closure.assumed, text)
    assert kernel.closure.origins[:2] == (None, None)
    (attempt,) = kernel.closure.attempts
    assert attempt.startswith("minimal: ")
    assert "lib_int" in attempt


@pytest.mark.apt("clang-19")
def test_nothing_is_assumed_where_no_header_is_missing(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, int *x) { x[n] = n % 2; }"
    kernel = parse_project(f"{text}\n").climb_from("k", text)

    assert kernel.closure is not None
    assert kernel.closure.assumed == ()


@pytest.mark.apt("clang-19")
def test_a_member_of_an_unknown_type_is_not_made_up(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(lib_int n, Shape s, int *x) { x[n] = s.width; }"
    kernel = parse_project(f"{MISSING}{text}\n").climb_from("k", text)

    assert kernel.closure is not None
    assert kernel.closure.assumed == ()
    assert kernel.closure.attempts[0].startswith("minimal: ")


@pytest.mark.apt("clang-19")
def test_a_missing_header_of_the_host_costs_nothing(
    parse_project: ParseProject,
) -> None:
    text = "__global__ void k(int *x) { x[0] = 1; }"
    host = "TEST(Suite, Case) { EXPECT_EQ(1, 2); }\n"
    kernel = parse_project(f"{HOST}{text}\n{host}").climb_from("k", text)

    assert kernel.closure is not None
    assert kernel.closure.attempts == ()
    assert kernel.closure.assumed == ()
