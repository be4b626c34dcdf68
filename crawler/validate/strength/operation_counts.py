"""Count the arithmetic operations of a launch, from the source and its coverage counters."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from crawler.validate.strength.coverage_mapping import (
    CodeRegion,
    SourcePosition,
    evaluate_counter,
    parse_code_regions,
)
from crawler.validate.strength.mutation_sites import find_device_bodies, parse_unit

_MAX_SECONDS: Final = 3.0
"""Of the processor, for the operations of one unit."""
_NOT_COUNTED: Final = -1
_BINARY_OPERATORS: Final = frozenset(
    {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
)
_ASSIGNMENT_OPERATORS: Final = frozenset(
    {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
)
# called functions that count as an operation: `__fmaf_rn`, `sqrtf`
_MATH_FUNCTION: Final = re.compile(
    r"_*(?:f?min|f?max|fma|fabs|abs|sqrt|rsqrt|rcp|exp|log|sin|cos|tan|pow|erf|tanh|cbrt"
    r"|floor|ceil|round|fdivide|fdiv|fmul|fadd|fsub|h?add|h?mul|h?sub|hypot"
    r"|atomicAdd|atomicSub|atomicMin|atomicMax)\w*"
)


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """Where a unit's device functions write operations, and the regions that they stand in."""

    counts: Mapping[int, tuple[tuple[str, int], ...]]
    """By the digest of a function's name: an expression of counters, and how many operations
    stand in that region.
    """

    def executed_operations(
        self, counters: Sequence[tuple[int, tuple[int, ...]]]
    ) -> int:
        """Return how many a launch took that left these counters; -1 where it left none."""
        if not counters:
            return _NOT_COUNTED

        total = 0

        for function, values in counters:
            for expression, operation_count in self.counts.get(function, ()):
                run_count = max(0, evaluate_counter(expression, values))
                total += run_count * operation_count

        return total


@lru_cache(maxsize=2)
def locate_operations(source: str, coverage_mapping: str) -> OperationCounts:
    """Return the operations of a unit by its regions, as clang's coverage mapping tells them."""
    positions = sorted(_iter_operations(source))
    counts = {
        function: tuple(_count_by_region(regions, positions))
        for function, regions in parse_code_regions(coverage_mapping).items()
    }

    return OperationCounts(counts)


def _iter_operations(source: str) -> Iterator[SourcePosition]:
    """Yield line and column, from 1, of each operation of a device function."""
    deadline = time.process_time() + _MAX_SECONDS
    tree = parse_unit(source)
    pending = list(find_device_bodies(tree.root_node)) if tree else []

    while pending and time.process_time() < deadline:
        node = pending.pop()
        if _is_operation(node):
            # of a call the name, of an expression its first operand: both lie in the region
            # that runs it
            yield node.start_point[0] + 1, node.start_point[1] + 1

        pending.extend(node.named_children)


def _is_operation(node: Node) -> bool:
    match node.type:
        case "binary_expression":
            return _field_text(node, "operator") in _BINARY_OPERATORS
        case "assignment_expression":
            return _field_text(node, "operator") in _ASSIGNMENT_OPERATORS
        case "call_expression":
            function = _field_text(node, "function").rpartition("::")[2]
            return _MATH_FUNCTION.fullmatch(function) is not None
        case _:
            return node.type == "update_expression"


def _field_text(node: Node, field: str) -> str:
    child = node.child_by_field_name(field)
    if child is None:
        return ""
    return (child.text or b"").decode("utf-8", "replace")


def _count_by_region(
    regions: Sequence[CodeRegion], positions: Sequence[SourcePosition]
) -> Iterator[tuple[str, int]]:
    """Yield the counter of each region with the operations that stand in it and in no region
    within it.
    """
    innermost: dict[int, CodeRegion] = {}

    for region in regions:
        first = bisect_left(positions, region.begin)
        last = bisect_left(positions, region.end)

        for number in range(first, last):
            outer = innermost.get(number)
            # of regions within each other the innermost says how often its operations run
            if outer is None or _encloses(outer, region):
                innermost[number] = region

    yield from Counter(region.count for region in innermost.values()).items()


def _encloses(outer: CodeRegion, inner: CodeRegion) -> bool:
    return outer.begin <= inner.begin and inner.end <= outer.end
