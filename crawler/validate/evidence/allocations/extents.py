"""Measure the memory that a launcher passes, with the sizes that a launch was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.validate.evidence.allocations.allocation import (
    PARAMETER_ELEMENT,
    Allocation,
)
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Name,
    Operation,
)
from crawler.validate.evidence.host_types import has_known_size, size_of_type
from crawler.validate.evidence.launch_configuration import Extent

if TYPE_CHECKING:
    from crawler.validate.evidence.launch_site import LaunchSite


def measure_allocations(
    site: LaunchSite, scope: EvaluationScope, free_values: Mapping[str, int]
) -> dict[str, Extent]:
    """Return how much memory a launch with these free variables passes, by parameter.

    What depends on anything else is left out: the launch does not tell the kernel of it.
    """
    if not site.allocations:
        return {}

    known_values = _KnownValues(site.conditions, free_values)
    strict_scope = replace(
        scope,
        resolve_free=known_values.find_value,
        resolve_factor=known_values.find_value,
        inexact_divisions=[],
        has_unknown_size=False,
    )
    known_values.scope = strict_scope
    extents: dict[str, Extent] = {}

    for parameter, allocation in site.allocations.items():
        if allocation.size is None:
            continue

        strict_scope.has_unknown_size = False
        count = evaluate(allocation.size, strict_scope)
        # several numbers are a shape, of which nothing says how it is meant
        if count is None or isinstance(count, tuple):
            continue
        if count >= 0 and not strict_scope.has_unknown_size:
            element_size = _measure_element(allocation, strict_scope)
            extents[parameter] = Extent(int(count), element_size)

    return extents


def _measure_element(allocation: Allocation, scope: EvaluationScope) -> int:
    if not allocation.element_type:
        return 1
    if allocation.element_type == PARAMETER_ELEMENT:
        return 0
    if has_known_size(allocation.element_type, scope.types):
        return size_of_type(allocation.element_type, scope.types)

    return 0


class _KnownValues:
    """The free variables of a launch, and what the host asserts to be the same as one of them."""

    def __init__(
        self, conditions: Sequence[Expression], free_values: Mapping[str, int]
    ) -> None:
        self._values: dict[str, int | float | None] = {**free_values}
        self._equals: dict[str, Expression] = {}
        self.scope: EvaluationScope | None = None

        for condition in conditions:
            if not isinstance(condition, Operation) or condition.sign != "==":
                continue

            left_side, right_side = condition.operands
            for side, other_side in ((left_side, right_side), (right_side, left_side)):
                if isinstance(side, Name | Call) and side.text not in free_values:
                    self._equals.setdefault(side.text, other_side)

    def find_value(self, text: str, _names: tuple[str, ...]) -> int | float:
        """Return the value of a variable; raises `ValueError` where the launch has none."""
        if text not in self._values:
            # while it is looked for it has none: equations may lead in circles
            self._values[text] = None
            self._values[text] = self._evaluate_equal(text)

        value = self._values[text]
        if value is None:
            raise ValueError(text)

        return value

    def _evaluate_equal(self, text: str) -> int | float | None:
        other_side = self._equals.get(text)
        if other_side is None or self.scope is None:
            return None

        return to_number(evaluate(other_side, self.scope))
