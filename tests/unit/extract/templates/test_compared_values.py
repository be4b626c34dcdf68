"""Values that a text compares a template parameter with, or specialises a template for."""

from __future__ import annotations

import pytest

from crawler.extract.templates.compared_values import (
    find_asserted_values,
    find_compared_values,
    find_specialised_values,
    is_unambiguous_value,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("if (N == 4) f(); else if (N == 8) g();", ("4", "8")),
        ("if (4 == N) f();", ("4",)),
        ("if (N == lib::Mode::kFast) f();", ("lib::Mode::kFast",)),
        ("if (N == 4 || N == 4) f();", ("4",)),
        # another name, a member, a product and a call say nothing of the parameter
        ("if (rank.N == 4 || MN == 4) f();", ()),
        ("if (N == 4 * M) f();", ()),
        ("if (N == lib::size(4)) f();", ()),
        ("if (N == kLocal) f();", ()),
    ],
)
def test_compared_values(text: str, values: tuple[str, ...]) -> None:
    assert find_compared_values("N", text) == values


def test_a_static_assertion_counts_and_other_comparisons_do_not() -> None:
    text = 'static_assert(N == 2 || N == 4, "small"); if (N == 8) f();'
    assert find_asserted_values("N", text) == ("2", "4")


def test_values_that_class_templates_are_specialised_for() -> None:
    fragments = (
        "template <class T> struct Traits;",
        "template <> struct Traits<float> { };\ntemplate <> struct Traits<half> { };",
        "template <> class Limits < double > { };",
        "template <> struct Other<int> { };",
    )
    text = "typename Traits<T>::type a = Limits<T>::max; Other<T, 4> b;"
    assert find_specialised_values("T", text, fragments) == ("float", "half", "double")


@pytest.mark.parametrize(
    ("value", "is_unambiguous"),
    [("4", True), ("lib::kFast", True), ("kFast", False), ("f(4)", False)],
)
def test_a_value_without_a_scope_is_ambiguous(value: str, is_unambiguous: bool) -> None:
    assert is_unambiguous_value(value) is is_unambiguous
