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
from crawler.validate.evidence.expression_tree import (
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

    resolver = _KnownValues(site.conditions, free_values)
    strict_scope = replace(
        scope,
        resolve_free=resolver.read,
        resolve_factor=resolver.read,
        inexact_divisions=[],
        has_unknown_size=False,
    )
    resolver.scope = strict_scope
    extents: dict[str, Extent] = {}

    for parameter, allocation in site.allocations.items():
        if allocation.size is None:
            continue

        strict_scope.has_unknown_size = False
        count = to_number(evaluate(allocation.size, strict_scope))
        if count is not None and count >= 0 and not strict_scope.has_unknown_size:
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
        self._free_values = free_values
        self._equals: dict[str, Expression] = {}
        self.scope: EvaluationScope | None = None

        for condition in conditions:
            if not isinstance(condition, Operation) or condition.sign != "==":
                continue

            left_side, right_side = condition.operands
            for side, other_side in ((left_side, right_side), (right_side, left_side)):
                if isinstance(side, Name | Call) and side.text not in free_values:
                    self._equals.setdefault(side.text, other_side)

    def read(self, text: str, _names: tuple[str, ...]) -> int | float:
        """Return the value of a variable; raises `ValueError` where the launch has none."""
        if text in self._free_values:
            return self._free_values[text]

        # each equation is used once: they may lead in circles
        other_side = self._equals.pop(text, None)
        if other_side is None or self.scope is None:
            raise ValueError(text)

        value = to_number(evaluate(other_side, self.scope))
        self._equals[text] = other_side
        if value is None:
            raise ValueError(text)

        return value
