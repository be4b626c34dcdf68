from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.bazel.starlark_methods import call_method
from crawler.builds.bazel.starlark_operators import (
    apply_binary_operator,
    compare_values,
    slice_value,
    to_dict_key,
)
from crawler.builds.bazel.starlark_values import (
    MAX_STRING_CHARS,
    Budget,
    BudgetExceeded,
    Unknown,
    Unsupported,
    add_values,
    format_braces,
    format_percent,
    iter_items,
    multiply_values,
    to_text,
)

COMPARISONS: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "in": ast.In,
    "not in": ast.NotIn,
}
SCALARS = st.integers(-(1 << 40), 1 << 40) | st.text(max_size=8)


def compare(first: Any, operator: str, second: Any) -> Any:
    return compare_values(COMPARISONS[operator](), first, second, Budget())


def test_a_budget_is_spent_and_ends() -> None:
    budget = Budget(3)
    budget.spend(2)
    budget.spend()
    with pytest.raises(BudgetExceeded):
        budget.spend()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["a"], ("b",), ["a", "b"]),
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        ("a", "b", "ab"),
        (1, 2, 3),
        (["a"], Unknown("more"), ["a"]),
        (Unknown("more"), ["a"], ["a"]),
        (Unknown("more"), "text", Unknown()),
        (Unknown(), Unknown(), Unknown()),
    ],
)
def test_values_are_joined(first: Any, second: Any, expected: Any) -> None:
    assert add_values(first, second, Budget()) == expected


@pytest.mark.parametrize(("first", "second"), [("a", 1), (["a"], "b"), (None, 1)])
def test_values_of_different_kinds_are_not_joined(first: Any, second: Any) -> None:
    with pytest.raises(Unsupported):
        add_values(first, second, Budget())


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("ab", 2, "abab"), (2, ["a"], ["a", "a"]), ("a", -1, ""), (3, 4, 12)],
)
def test_values_are_repeated_or_multiplied(
    first: Any, second: Any, expected: Any
) -> None:
    assert multiply_values(first, second, Budget()) == expected


def test_what_would_get_too_large_is_not_made() -> None:
    with pytest.raises(BudgetExceeded):
        multiply_values("a", MAX_STRING_CHARS + 1, Budget())
    with pytest.raises(BudgetExceeded):
        multiply_values(["a"], MAX_STRING_CHARS, Budget())
    with pytest.raises(BudgetExceeded):
        format_percent("%s" * 3, ("a" * (MAX_STRING_CHARS // 2),) * 3, Budget())
    with pytest.raises(Unsupported):
        multiply_values(1 << 40, 2, Budget())


@given(st.text(max_size=20), st.text(max_size=20))
def test_percent_fills_in_as_python_does(first: str, second: str) -> None:
    filled = format_percent("a%sb%sc%%", (first, second), Budget())
    assert filled == f"a{first}b{second}c%"


def test_percent_takes_names_single_values_and_division() -> None:
    assert format_percent("%(a)s-%(b)d", {"a": "x", "b": 1}, Budget()) == "x-1"
    assert format_percent("%s.cu", "k", Budget()) == "k.cu"
    assert format_percent(7, 4, Budget()) == 3
    for text, values in (("%s", ()), ("%(a)s", "x"), (1, 0)):
        with pytest.raises(Unsupported):
            format_percent(text, values, Budget())


def test_braces_fill_in_positions_and_names() -> None:
    filled = format_braces("{}{1}{x}{{}}", ("a", "b"), {"x": 3}, Budget())
    assert filled == "ab3{}"
    with pytest.raises(Unsupported):
        format_braces("{9}", ("a",), {}, Budget())


def test_only_strings_and_numbers_have_a_text() -> None:
    assert (to_text("a"), to_text(1), to_text(True)) == ("a", "1", "True")
    with pytest.raises(Unsupported):
        to_text(["a"])


def test_items_are_those_of_lists_and_dictionaries() -> None:
    assert list(iter_items(["a", "b"])) == ["a", "b"]
    assert list(iter_items({"k": "v"})) == ["k"]
    assert list(iter_items("text")) == []


@given(SCALARS, SCALARS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
def test_scalars_are_compared_as_python_does(
    first: int | str, second: int | str, operator: str
) -> None:
    if type(first) is not type(second) and operator not in ("==", "!="):
        with pytest.raises(Unsupported):
            compare(first, operator, second)
        return
    expected = eval(f"left {operator} right", {"left": first, "right": second})
    assert compare(first, operator, second) is expected


@pytest.mark.parametrize(
    ("first", "operator", "second", "expected"),
    [
        ("a", "in", ["a"], True),
        ("a", "not in", ["a"], False),
        ("a", "in", "bab", True),
        ("a", "in", {"a": 1}, True),
        (["a"], "in", [["a"]], False),
        (["a", 1], "==", ["a", 1], True),
        ([], "==", (), False),
        ((), "==", (), True),
        (("a",), "==", ("a",), False),
        ({"a": 1}, "!=", {"a": 1}, True),
    ],
)
def test_containers_are_compared_as_far_as_is_cheap(
    first: Any, operator: str, second: Any, expected: bool
) -> None:
    assert compare(first, operator, second) is expected


@pytest.mark.parametrize(
    ("first", "operator", "second"),
    [(1, "in", "text"), ("a", "in", 1), ([["a"]], "==", [["a"]]), ([1], "<", [2])],
)
def test_other_comparisons_have_no_meaning(
    first: Any, operator: str, second: Any
) -> None:
    with pytest.raises(Unsupported):
        compare(first, operator, second)


def test_only_what_can_be_hashed_is_a_key() -> None:
    assert to_dict_key(("a", 1)) == ("a", 1)
    assert to_dict_key(None) is None
    assert to_dict_key(("a", ["b"])) == Unknown()


@pytest.mark.parametrize(
    ("value", "bounds", "expected"),
    [
        ("abcd", [1, 3, None], "bc"),
        (["a", "b"], [None, None, -1], ["b", "a"]),
        ("abcd", [None, None, 0], Unknown()),
    ],
)
def test_slices_are_pythons(value: Any, bounds: list[Any], expected: Any) -> None:
    assert slice_value(value, bounds, Budget()) == expected


def test_slices_of_other_values_or_bounds_are_unsupported() -> None:
    for value, bounds in (({}, [None] * 3), ("ab", ["a", None, None])):
        with pytest.raises(Unsupported):
            slice_value(value, bounds, Budget())


def test_an_operator_of_its_own_kind_only() -> None:
    assert apply_binary_operator(ast.BitOr(), {"a": 1}, {}, Budget()) == {"a": 1}
    with pytest.raises(Unsupported):
        apply_binary_operator(ast.Pow(), 2, 3, Budget())


@pytest.mark.parametrize(
    ("value", "name", "arguments", "expected"),
    [
        ("a,b", "split", [","], ["a", "b"]),
        ("a.cu", "endswith", [(".cu", ".hip")], True),
        ("a b", "replace", [" ", "_"], "a_b"),
        ("-", "join", [["a", Unknown(), "b"]], "a-b"),
        ("{}!", "format", ["a"], "a!"),
        ("a=b", "partition", ["="], ("a", "=", "b")),
        ({"a": 1}, "keys", [], ["a"]),
        ({"a": 1}, "values", [], [1]),
        ({"a": 1}, "items", [], [("a", 1)]),
        ({"a": 1}, "get", ["b", 2], 2),
        ({"a": 1}, "get", ["b"], None),
        ({"a": 1}, "pop", ["a"], 1),
        ({"a": 1}, "setdefault", ["b", 2], 2),
    ],
)
def test_methods_are_called(
    value: Any, name: str, arguments: list[Any], expected: Any
) -> None:
    assert call_method(value, name, arguments, {}, Budget()) == expected


def test_methods_change_lists_and_dictionaries() -> None:
    sources = ["a.cu"]
    call_method(sources, "append", ["b.cu"], {}, Budget())
    call_method(sources, "extend", [("c.cu",)], {}, Budget())
    assert sources == ["a.cu", "b.cu", "c.cu"]
    flags = {"a": 1}
    call_method(flags, "update", [{"b": 2}], {"c": 3}, Budget())
    assert flags == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("value", "name", "arguments"),
    [
        ("a", "encode", []),
        ("a", "__class__", []),
        ("a", "split", [1]),
        ("a", "count", []),
        (["a"], "pop", []),
        (["a"], "append", []),
        ({}, "get", [["unhashable"]]),
        ({}, "clear", []),
        (1, "bit_length", []),
    ],
)
def test_other_methods_are_unsupported(
    value: Any, name: str, arguments: list[Any]
) -> None:
    with pytest.raises(Unsupported):
        call_method(value, name, arguments, {}, Budget())
