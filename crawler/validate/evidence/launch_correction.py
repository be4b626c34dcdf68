"""Correct the free variables of a launch that would not do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.expressions.expression_tree import Expression, Name
from crawler.validate.evidence.host_assertions import ConditionScope, values_to_satisfy
from crawler.validate.evidence.launch_attempt import LaunchAttempt

_MAX_DIVISOR: Final = 4096
"""By what a size is made divisible: what is larger is no size of a tile."""
_MAX_DEFINITION_STEPS: Final = 8
"""Names that are defined by other names, one after the other."""
_GROWTH: Final = 4
"""Times as large becomes what makes a grid empty."""
_MAX_GROWN: Final = 1 << 16
"""What is as large as this is not made larger: it is not for its size that a grid is empty."""


def correct_free_variables(
    attempt: LaunchAttempt,
    corrections: dict[str, int],
    asserted: dict[str, int],
    max_threads: int,
) -> bool:
    """Change what breaks a condition, makes a division inexact, or the grid empty or large;
    tell if anything was.

    What the host's conditions ask for is `asserted`: a grid is not made smaller by it.
    """
    before = dict(corrections)
    _correct_block(attempt, corrections)

    if any(extent <= 0 for extent in attempt.grid):
        _enlarge_grid(attempt, corrections)
    elif math.prod(attempt.grid) * math.prod(attempt.block) > max_threads:
        _shrink_grid(attempt, corrections, asserted)
    else:
        _correct_divisions(attempt, corrections)

    # what a condition asks for would hide whether the grid fits without it
    if corrections == before:
        _satisfy_conditions(attempt, corrections, asserted)

    return corrections != before


def _correct_block(attempt: LaunchAttempt, corrections: dict[str, int]) -> None:
    """Give a block the threads that a template argument says it has."""
    threads = attempt.site.template_threads
    if not threads or math.prod(attempt.block) == threads:
        return

    for name in attempt.block_variables:
        if attempt.free_values[name] != threads:
            corrections[name] = threads


def _enlarge_grid(attempt: LaunchAttempt, corrections: dict[str, int]) -> None:
    """Make larger what is less than what it is divided by; else all variables of the grid, of
    which one may divide another.
    """
    if _enlarge_dividends(attempt, corrections):
        return

    for name in attempt.grid_variables:
        value = attempt.free_values[name]
        if value < _MAX_GROWN:
            corrections[name] = max(2, value * _GROWTH)


def _enlarge_dividends(attempt: LaunchAttempt, corrections: dict[str, int]) -> bool:
    """Make what is divided as large as its divisor where it is less, and tell if anything was."""
    is_changed = False
    for dividend, divisor in attempt.scope.inexact_divisions:
        variable = attempt.resolve_variable(dividend)
        value = attempt.free_values.get(variable, divisor)
        if value < divisor <= _MAX_DIVISOR:
            corrections[variable] = divisor
            is_changed = True

    return is_changed


def _shrink_grid(
    attempt: LaunchAttempt, corrections: dict[str, int], asserted: Mapping[str, int]
) -> None:
    """Halve the largest variable of the grid that a condition leaves room for."""
    values = attempt.free_values
    reducible = [
        name for name in attempt.grid_variables if values[name] > asserted.get(name, 1)
    ]
    largest = max(reducible, key=lambda name: values[name], default="")
    if largest:
        smallest = asserted.get(largest, 1)
        corrections[largest] = max(smallest, values[largest] // 2)


def _correct_divisions(attempt: LaunchAttempt, corrections: dict[str, int]) -> None:
    """Round up what is divided: `channels / 64` blocks leave no rest of channels over."""
    for dividend, divisor in attempt.scope.inexact_divisions:
        variable = attempt.resolve_variable(dividend)
        if variable not in attempt.free_values or divisor > _MAX_DIVISOR:
            continue

        quotient = -(-attempt.free_values[variable] // divisor)
        corrections[variable] = max(1, quotient) * divisor


def _satisfy_conditions(
    attempt: LaunchAttempt, corrections: dict[str, int], asserted: dict[str, int]
) -> None:
    """Change what a condition of the host is broken by."""

    def read_known_value(text: str, names: Sequence[str]) -> int | float:
        # a condition on a variable that the launch does not ask for is nobody's concern
        template_value = attempt.site.find_template_value(names)
        if template_value:
            return template_value
        if text not in attempt.free_values:
            raise ValueError(text)

        return attempt.free_values[text]

    def resolve_free_variable(tree: Expression) -> str:
        variable = attempt.resolve_variable(tree)
        return variable if variable in attempt.free_values else ""

    def find_definition(tree: Expression) -> Expression:
        for _ in range(_MAX_DEFINITION_STEPS):
            if not isinstance(tree, Name) or tree.text in attempt.free_values:
                break
            text = attempt.site.definitions.get(tree.text, "")
            definition = attempt.site.parse_text(text) if text else None
            if definition is None:
                break
            tree = definition
        return tree

    scope = replace(
        attempt.scope,
        resolve_free=read_known_value,
        resolve_factor=read_known_value,
        inexact_divisions=[],
    )
    condition_scope = ConditionScope(
        value=lambda tree: to_number(evaluate(tree, scope)),
        variable=resolve_free_variable,
        define=find_definition,
    )
    needed: dict[str, int] = {}

    for condition in attempt.site.conditions:
        # the first condition on a variable counts
        needed = values_to_satisfy(condition, condition_scope) | needed

    changes = {
        name: value for name, value in needed.items() if asserted.get(name) != value
    }
    corrections.update(changes)
    asserted.update(changes)
