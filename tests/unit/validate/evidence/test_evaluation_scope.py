"""What an evaluation notes on its way."""

from __future__ import annotations

from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Name


def make_scope(**definitions: str) -> EvaluationScope:
    values = {"n": 300, "m": 256, "x": 2.5}
    return EvaluationScope(
        resolve_free=lambda text, _names: values[text], definitions=definitions
    )


def compute(text: str, scope: EvaluationScope) -> int | float | None:
    return to_number(evaluate(parse_expression(text), scope))


def test_a_division_that_leaves_a_rest_is_noted_with_its_divisor() -> None:
    scope = make_scope()
    assert compute("n / 64", scope) == 4
    assert scope.inexact_divisions == [(Name("n"), 64)]


def test_a_division_without_a_rest_is_not() -> None:
    scope = make_scope()
    assert compute("m / 64 + x / 2 + n / 2.5", scope) is not None
    assert scope.inexact_divisions == []


def test_a_division_by_zero_has_no_value_and_no_note() -> None:
    scope = make_scope()
    assert compute("n / 0", scope) is None
    assert scope.inexact_divisions == []


def test_a_text_is_parsed_once() -> None:
    scope = make_scope()
    tree = scope.parse_text("n + 1")
    assert tree is not None
    assert scope.parse_text("n + 1") is tree


def test_a_text_that_is_no_expression_stays_none() -> None:
    scope = make_scope()
    assert scope.parse_text("n +") is None
    assert scope.parse_text("n +") is None


def test_it_is_noted_where_a_types_size_is_a_guess() -> None:
    scope_of_double = make_scope()
    assert compute("sizeof(double) * 2", scope_of_double) == 16
    assert not scope_of_double.has_unknown_size
    scope_of_params = make_scope()
    assert compute("sizeof(Params) * 2", scope_of_params) == 8
    assert scope_of_params.has_unknown_size
