"""Defaults that are called like their own parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.nvcc.self_named_defaults import qualify_self_named_defaults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "template <class T, int N> class A { static const int n = N;\n"
            "  void f(T* x, size_t n=n); void g(int n = n, int m = 1) { h(n); } };",
            "template <class T, int N> class A { static const int n = N;\n"
            "  void f(T* x, size_t n=A::n); void g(int n = A::n, int m = 1) { h(n); } };",
        ),
        (
            "struct A { enum { k }; int n; struct B { int m; void f(int n = n, int m = m); }; };",
            "struct A { enum { k }; int n; struct B { int m; void f(int n = A::n, int m = B::m); }; };",
        ),
        (
            "class __align__(N ? 16 : 8) A final : public B, C { int n; void f(int n = n); };",
            "class __align__(N ? 16 : 8) A final : public B, C { int n; void f(int n = A::n); };",
        ),
        (
            "template <class T> struct A<T*> { int n; void f(int n = n); };",
            "template <class T> struct A<T*> { int n; void f(int n = A::n); };",
        ),
        ("void f(int n = n);", None),
        ("struct A { void f(int n = n); };", None),
        ("struct A { int m, n; void f(int n = m, int m = n); };", None),
        ("struct A { int n; void f() { g(n = n); for (int n = n, m; ;) ; } };", None),
        ("struct A { int n; auto f() { return [n = n](int) {}; } };", None),
        ("template <class T> void f(int n = n) {}", None),
    ],
)
def test_it_names_the_class(text: str, expected: str | None) -> None:
    assert qualify_self_named_defaults(text) == (expected or text)


@given(st.text(alphabet="struct A{}()n=, ;<>"))
def test_no_text_breaks_it(text: str) -> None:
    assert len(qualify_self_named_defaults(text)) >= len(text)
