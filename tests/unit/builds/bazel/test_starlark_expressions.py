"""What expressions of build files come to, and what of them stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.builds.bazel.starlark_interpreter import Interpreter
from crawler.builds.bazel.starlark_syntax import MACRO_PREFIX, Call, parse_starlark
from crawler.builds.bazel.starlark_values import Budget, BudgetExceeded, Unknown


def evaluate(text: str, steps: int = 100_000) -> tuple[dict[str, Any], list[Call]]:
    """Return the variables of a file, and its calls in their order."""
    scope: dict[str, Any] = {}
    calls: list[Call] = []

    def answer_call(call: Call) -> Any:
        calls.append(call)
        return Unknown(call.name)

    Interpreter(answer_call, Budget(steps)).run_module(parse_starlark(text), scope)
    return scope, calls


def value_of(expression: str) -> Any:
    return evaluate(f"X = {expression}")[0]["X"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'' or 'gpu'", "gpu"),
        ("'cpu' or 'gpu'", "cpu"),
        ("'cpu' and 'gpu'", "gpu"),
        ("[] and 'gpu'", []),
        ("not []", True),
        ("not 'a'", False),
        ("'one' if [] else 'other'", "other"),
        ("(1, 2)[-1]", 2),
        ("['a', 'b', 'c'][1:]", ["b", "c"]),
        ("{'k': 1, 'l': 2}['l']", 2),
        ("[x for row in [['a'], ['b', 'c']] for x in row]", ["a", "b", "c"]),
        ("[x for x in ['a', 'b', 'c'] if x != 'b' if x != 'c']", ["a"]),
        ("{k: v for k, v in [('a', 1), ('b', 2)]}", {"a": 1, "b": 2}),
        ("'a' < 'b'", True),
    ],
)
def test_an_expression_comes_to_what_bazel_makes_of_it(
    expression: str, expected: object
) -> None:
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "lambda x: x",
        "1.5",
        "b'bytes'",
        str(1 << 62),
        "~1",
        "-'a'",
        "1 < 2 < 3",
        "['a'][7]",
        "{'a': 1}['b']",
        "'abc'['a']",
        "undefined[0]",
    ],
)
def test_what_starlark_lacks_or_the_file_got_wrong_is_unknown(expression: str) -> None:
    assert isinstance(value_of(expression), Unknown)


def test_the_largest_number_that_is_taken_is_just_below_the_bound() -> None:
    assert value_of(str((1 << 62) - 1)) == (1 << 62) - 1


def test_a_name_that_nobody_defined_is_the_tools_and_keeps_its_name() -> None:
    assert value_of("glob") == Unknown("glob")
    assert value_of("native.cc_library") == Unknown("native.cc_library")
    assert value_of("'text'.length") == Unknown("length")


def test_a_part_that_is_unknown_leaves_the_rest_of_a_list() -> None:
    value = value_of("['a.cu', select({}), 'b.cu']")
    assert [value[0], value[2]] == ["a.cu", "b.cu"]
    assert isinstance(value[1], Unknown)


def test_brackets_that_nest_too_deep_are_unknown_inside() -> None:
    def depth_of(value: Any) -> int:
        return 1 + depth_of(value[0]) if isinstance(value, list) and value else 0

    assert depth_of(value_of("[" * 80 + "1" + "]" * 80)) == 80
    sums = "+".join(["['a']"] * 150)
    # each sum nests in the next: the first ones are too deep to be looked at
    assert len(value_of(sums)) < 150


def test_a_comprehension_leaves_no_variable_behind() -> None:
    scope, _ = evaluate("X = [name for name in ['a']]\nY = name")
    assert scope["X"] == ["a"]
    assert scope["Y"] == Unknown("name")
    assert "name" not in scope


def test_a_comprehension_is_paid_for_by_its_rounds() -> None:
    text = "ROW = ['a'] * 100\nX = [1 for a in ROW for b in ROW]"
    assert len(evaluate(text, steps=200_000)[0]["X"]) == 10_000
    with pytest.raises(BudgetExceeded):
        evaluate(text, steps=5_000)


def test_arguments_are_laid_out_flat_before_a_rule_sees_them() -> None:
    text = """
SOURCES = ["a.cu", "b.cu"]
OPTIONS = {"copts": ["-O3"], 7: "no name"}
cc_library(*SOURCES, name = "kernels", **OPTIONS)
"""
    _, calls = evaluate(text)
    assert calls == [
        Call("cc_library", ["a.cu", "b.cu"], {"name": "kernels", "copts": ["-O3"]})
    ]


def test_calls_among_the_arguments_come_first() -> None:
    _, calls = evaluate("cc_library(name = 'a', srcs = glob(['*.cu']))")
    assert [call.name for call in calls] == ["glob", "cc_library"]


def test_a_rule_is_called_by_its_own_name_wherever_it_comes_from() -> None:
    _, calls = evaluate("native.cc_library(name = 'a')\n'text'.unheard_of()")
    assert calls[0].name == "native.cc_library"


def test_a_macro_is_reported_behind_what_it_called() -> None:
    text = """
def kernel(name):
    cc_library(name = name)
    return "made " + name

X = kernel("a")
"""
    scope, calls = evaluate(text)
    assert scope["X"] == "made a"
    assert [call.name for call in calls] == ["cc_library", MACRO_PREFIX + "kernel"]
    assert calls[1].positional == ["a"]


def test_parts_of_a_value_go_to_parts_of_a_target() -> None:
    scope, _ = evaluate("A, (B, C) = [1, [2, 3]]\nD, E = unheard_of()")
    assert (scope["A"], scope["B"], scope["C"]) == (1, 2, 3)
    assert isinstance(scope["D"], Unknown)
    assert isinstance(scope["E"], Unknown)


def test_an_entry_of_a_dictionary_is_set_by_a_word_or_a_number_alone() -> None:
    scope, _ = evaluate("X = {}\nX['a'] = 1\nX[2] = 'b'\nX[('c',)] = 3\n")
    assert scope["X"] == {"a": 1, 2: "b"}
