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
    evaluate_counter,
    parse_code_regions,
)
from crawler.validate.strength.mutation_sites import find_device_bodies, parse_unit

_SECONDS: Final = 3.0
_BINARY: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
_ASSIGNED: Final = frozenset(
    {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
)
_MATHS: Final = re.compile(
    r"_*(?:f?min|f?max|fma|fabs|abs|sqrt|rsqrt|rcp|exp|log|sin|cos|tan|pow|erf|tanh|cbrt|floor|ceil|round|fdivide|fdiv"
    r"|fmul|fadd|fsub|h?add|h?mul|h?sub|hypot|atomicAdd|atomicSub|atomicMin|atomicMax)\w*"
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
            return -1
        return sum(
            max(0, evaluate_counter(expression, held)) * number
            for name, held in counters
            for expression, number in self.counts.get(name, ())
        )


@lru_cache(maxsize=2)
def locate_operations(source: str, coverage_mapping: str) -> OperationCounts:
    """Return the operations of a unit by its regions, as clang's coverage mapping tells them."""
    places = sorted(_places(source))
    return OperationCounts(
        {
            name: tuple(_held(told, places))
            for name, told in parse_code_regions(coverage_mapping).items()
        }
    )


def _places(source: str) -> Iterator[tuple[int, int]]:
    """Yield line and column, from 1, of each operation of a device function."""
    until = time.process_time() + _SECONDS
    tree = parse_unit(source)
    pending = list(find_device_bodies(tree.root_node)) if tree else []
    while pending and time.process_time() < until:
        node = pending.pop()
        if _is_operation(node):
            # of a call the name, of an expression its first operand: both lie in the region
            # that runs it
            yield node.start_point[0] + 1, node.start_point[1] + 1
        pending.extend(node.named_children)


def _is_operation(node: Node) -> bool:
    if node.type in ("binary_expression", "assignment_expression"):
        operator = node.child_by_field_name("operator")
        return operator is not None and (operator.text or b"").decode(
            "ascii", "replace"
        ) in (_BINARY if node.type == "binary_expression" else _ASSIGNED)
    if node.type == "call_expression":
        name = node.child_by_field_name("function")
        text = (name.text or b"").decode("utf-8", "replace") if name else ""
        return _MATHS.fullmatch(text.rpartition("::")[2]) is not None
    return node.type == "update_expression"


def _held(
    regions: Sequence[CodeRegion], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int]]:
    """Yield the counter of each region with the operations that stand in it and in no region
    within it.
    """
    innermost: dict[int, CodeRegion] = {}
    for region in regions:
        for at in range(
            bisect_left(places, region.begin), bisect_left(places, region.end)
        ):
            held = innermost.get(at)
            if held is None or (held.begin <= region.begin and region.end <= held.end):
                innermost[at] = region
    yield from Counter(region.count for region in innermost.values()).items()
