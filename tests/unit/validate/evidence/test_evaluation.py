"""Expressions of host code mean what a C++ programmer reads in them."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.evaluation import Value, evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression


def compute(
    text: str, definitions: dict[str, str] | None = None, **bound: int | float
) -> Value | None:
    scope = EvaluationScope(
        resolve_free=lambda _text, _names: 7,
        definitions=definitions or {},
        bound_values=bound,
    )
    return evaluate(parse_expression(text), scope)


def ask_names(text: str, definitions: dict[str, str]) -> list[tuple[str, ...]]:
    """Return the names by which free variables are asked for."""
    asked_names: list[tuple[str, ...]] = []

    def resolve_free(_text: str, names: tuple[str, ...]) -> int:
        asked_names.append(names)
        return 3

    scope = EvaluationScope(resolve_free=resolve_free, definitions=definitions)
    evaluate(parse_expression(text), scope)
    return asked_names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("int(2.9)", 2),
        ("long(-2.9)", -2),
        ("float(2.5) * 2", 5.0),
        ("int64_t(1) << 40", 1 << 40),
    ],
)
def test_a_cast_to_whole_numbers_rounds_toward_zero(text: str, value: float) -> None:
    assert compute(text) == value


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        ("dim3(2)", (2, 1, 1)),
        ("dim3(2, 3, 4)", (2, 3, 4)),
        ("make_int2(5, 6)", (5, 6, 1)),
        ("make_uint4(1, 2, 3, 4)", (1, 2, 3, 4)),
    ],
)
def test_vectors_have_an_extent_for_each_axis(
    text: str, extents: tuple[int, ...]
) -> None:
    assert compute(text) == extents


def test_a_member_of_a_vector_is_its_extent() -> None:
    definitions = {"block": "dim3(32, 8)", "wide": "make_int4(1, 2, 3, 9)"}
    assert compute("block.x * block.y", definitions) == 256
    assert compute("block.z", definitions) == 1
    assert compute("wide.w", definitions) == 9


def test_a_vector_is_known_by_the_members_that_were_assigned() -> None:
    definitions = {"grid.x": "12", "grid.z": "5"}
    assert compute("grid", definitions) == (12, 1, 5)


def test_a_qualified_name_is_the_one_that_the_source_defines() -> None:
    assert compute("Traits::kThreads * 2", {"kThreads": "64"}) == 128


def test_a_definition_of_the_qualified_name_itself_counts_first() -> None:
    definitions = {"Traits::kThreads": "32", "kThreads": "64"}
    assert compute("Traits::kThreads", definitions) == 32


def test_a_bound_value_counts_before_any_definition() -> None:
    assert compute("kTile", {"kTile": "64"}, kTile=16) == 16


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("out.numel()", 24),
        ("out.size(0)", 2),
        ("out.size(-1)", 4),
        ("out.size(1) * out.size(2)", 12),
    ],
)
def test_a_tensor_has_the_shape_that_its_factory_was_given(
    text: str, value: int
) -> None:
    assert compute(text, {"out": "torch::empty({2, 3, 4}, options)"}) == value


@pytest.mark.parametrize("text", ["out.size(3)", "out.size(-4)", "out.size(1.5)"])
def test_an_axis_that_a_tensor_lacks_is_a_free_variable(text: str) -> None:
    assert compute(text, {"out": "torch::empty({2, 3, 4})"}) == 7


def test_a_tensor_made_elsewhere_is_a_free_variable() -> None:
    assert compute("out.size(0)", {"out": "forward(x)"}) == 7
    assert compute("out.size(0)", {"out": "torch::empty(sizes)"}) == 7
    assert compute("out.size(0)") == 7


def test_only_the_branch_that_is_taken_counts() -> None:
    assert compute("1 ? 5 : 1 / 0") == 5
    assert compute("0 ? 1 / 0 : dim3(2, 3)") == (2, 3, 1)


@pytest.mark.parametrize(
    "text", ["1 / 0", "5 % 0", "1 << 99", "1.0 / 0", "pow(1000, 60)", "sqrt(-1)"]
)
def test_what_has_no_value_ends_in_none(text: str) -> None:
    assert compute(text) is None


@pytest.mark.parametrize("text", ["MIN(n)", "max(1)", "min()", "fmax(1, 2, 3)"])
def test_a_call_with_other_arguments_is_a_free_variable(text: str) -> None:
    assert compute(text) == 7


def test_definitions_in_a_circle_come_to_an_end() -> None:
    definitions = {"a": "b + 1", "b": "c + 1", "c": "a + 1"}
    assert isinstance(to_number(compute("a", definitions)), int | float | None)


def test_a_long_chain_of_definitions_is_given_up() -> None:
    definitions = {f"v{number}": f"v{number + 1}" for number in range(100)}
    definitions["v100"] = "5"
    assert compute("v95", definitions) == 5
    assert compute("v0", definitions) != 5


def test_a_free_variable_is_asked_for_by_each_name_that_leads_to_it() -> None:
    definitions = {"channels": "c", "c": "x.size(1)"}
    assert ask_names("channels", definitions) == [("x.size(1)", "c", "channels")]


def test_an_operand_goes_by_its_own_name_alone() -> None:
    assert ask_names("total", {"total": "rows * 4"}) == [("rows",)]


def test_the_first_extent_stands_for_a_vector() -> None:
    assert to_number((4, 5, 6)) == 4
    assert to_number(2.5) == 2.5
    assert to_number(None) is None
