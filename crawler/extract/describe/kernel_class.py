"""Classify the computation of a kernel by its name and text, with the evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.cpp.brackets import ROUND, closing_in_code
from crawler.extract.describe.kernel_class_rules import CODE_RULES, NAME_RULES
from crawler.extract.describe.measures import blank_comments
from crawler.model import Kernel

UNCLASSIFIED: Final = "other"
_CODE_WEIGHT: Final = 2
_FURTHER_CODE_WEIGHT: Final = 1
_NAME_WEIGHT: Final = 4
_MIN_POINTS: Final = 2
# `layerNorm` is `layer_norm` to the rules of names
_CAMEL_CASE_SEAM: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Kernels in any state are judged, many of which no parser takes whole; a slip costs a tag.
_LOOP: Final = re.compile(r"\b(?:for|while)\s*\(")
_GRID_STRIDE: Final = re.compile(r"\b(?:gridDim|blockDim)\b")
_STORE: Final = re.compile(r"\b\w+\s*\[([^\[\]]+)\]\s*[-+*/|&^]?=(?!=)")
_MOVE: Final = re.compile(
    r"\b\w+\s*(\[[^;={}]{1,300}\])\s*=\s*(?:[\w:<>]+\s*\(\s*)?\w+\s*(\[[^;={}]{1,300}\])\s*\)?\s*;"
)
_ANY_STORE: Final = re.compile(r"\b\w+\s*\[[^;={}]{1,300}\]\s*[-+*/|&^]?=(?!=)")
_LOAD: Final = re.compile(
    r"\b(\w+)\s*=\s*(?:\([\w: ]+\)\s*)?\w+\s*\[[^;]{1,300}\]\s*(?:[-+]\s*\w+\s*)?;"
)
_SUM: Final = re.compile(r"\b(\w+)\s*\+=[^;]{0,300}[^;\d\s]")
_COOPERATION: Final = re.compile(
    r"__shared__|__syncthreads|__shfl|\batomic[A-Z]|__ballot"
)
_Evidence = tuple[str, int, str]
"""Class, weight, and what speaks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """A class of computation; a guess with its reasons, not a proof."""

    kind: str
    """`elementwise`, `reduction`, `scan`, `stencil`, `matrix-product`, `gather-scatter`,
    `sort`, …, or `other`.
    """
    evidence: tuple[str, ...]
    """What speaks for it, a reason each, for a person."""


def classify_computation(kernel: Kernel) -> Computation:
    """Return the class for which most speaks.

    Where the kernel's own text says nothing, that of the functions it calls is asked.
    """
    code = blank_comments(kernel.source)
    # of `GENERATE_KERNEL(scale, float)` the body stands in the macro
    code_signs = _judge_code(code) if "{" in code else ()
    own = _weigh((*_judge_name(kernel.name), *code_signs))
    if own.kind != UNCLASSIFIED or kernel.unit is None:
        return own

    unit_code = blank_comments(kernel.unit.source)
    return _weigh(
        (kind, weight, f"{reason} in a function that it calls")
        for kind, weight, reason in _match_code_rules(unit_code)
    )


def _weigh(evidence: Iterable[_Evidence]) -> Computation:
    points: dict[str, int] = defaultdict(int)
    reasons: dict[str, list[str]] = defaultdict(list)

    for kind, weight, reason in evidence:
        # several signs in code speak for a class, but less than the first one
        is_further_code = weight == _CODE_WEIGHT and points[kind] > 0
        points[kind] += _FURTHER_CODE_WEIGHT if is_further_code else weight
        reasons[kind].append(reason)

    if not points or max(points.values()) < _MIN_POINTS:
        return Computation(kind=UNCLASSIFIED, evidence=())

    # of equals the one that was met first
    best_kind = max(points, key=lambda kind: points[kind])
    return Computation(kind=best_kind, evidence=tuple(reasons[best_kind]))


def _judge_name(name: str) -> Iterator[_Evidence]:
    # `maxPool` is searched as `max_pool`
    words = _CAMEL_CASE_SEAM.sub("_", name).lower()
    for kind, pattern in NAME_RULES:
        match = pattern.search(words)
        if match:
            yield kind, _NAME_WEIGHT, f"name: {match[0].strip('_')}"


def _match_code_rules(code: str) -> Iterator[_Evidence]:
    for kind, pattern, meaning in CODE_RULES:
        if pattern.search(code):
            yield kind, _CODE_WEIGHT, f"code: {meaning}"


def _judge_code(code: str) -> Iterator[_Evidence]:
    yield from _match_code_rules(code)
    yield from _judge_moves(code)

    # e.g. `j = index[i]; out[j] = in[i]`
    index_name = next(_iter_loaded_indices(code), "")

    if index_name:
        reason = f"code: subscripts by {index_name}, which it has read"
        yield "gather-scatter", _CODE_WEIGHT, reason

    # a loop over the grid's stride does the work of more threads
    loops = sum(not _GRID_STRIDE.search(header) for header in _iter_loop_headers(code))
    if loops:
        sum_name = next(_iter_sums(code), "")
        if sum_name:
            reason = f"code: each thread sums in a loop: {sum_name}"
            yield "reduction", _CODE_WEIGHT, reason

    yield from _judge_independence(code, loops)


def _judge_moves(code: str) -> Iterator[_Evidence]:
    """Judge a kernel that only copies elements, some to another index."""
    # all stores are copies, and one at least changes the place
    moves = _MOVE.findall(code)
    if not moves or len(moves) != len(_ANY_STORE.findall(code)):
        return
    if all(target == origin for target, origin in moves):
        return

    if "__shared__" in code:
        reason = "code: moves elements through shared memory and changes none"
        yield "transpose", _CODE_WEIGHT, reason
    else:
        reason = "code: moves elements to other places and changes none"
        yield "gather-scatter", _CODE_WEIGHT, reason


def _judge_independence(code: str, loops: int) -> Iterator[_Evidence]:
    """Judge a kernel whose threads do not cooperate."""
    if _COOPERATION.search(code):
        return

    stored_indices = {"".join(index.split()) for index in _STORE.findall(code)}
    if len(stored_indices) == 1 and loops <= 1:
        index = stored_indices.pop()
        reason = f"code: each thread writes its own element [{index}]"
        yield "elementwise", _CODE_WEIGHT, reason
    elif not loops:
        reason = "code: each thread works by itself, without a loop"
        yield "elementwise", _CODE_WEIGHT, reason


def _iter_loop_headers(code: str) -> Iterator[str]:
    """Yield what stands in the parentheses of each loop."""
    for loop in _LOOP.finditer(code):
        closing = closing_in_code(code, loop.end() - 1, pairs=ROUND)
        end = closing + 1 if closing >= 0 else len(code)
        yield code[loop.end() : end]


def _iter_loaded_indices(code: str) -> Iterator[str]:
    """Yield the names that are read from an array and then used as an index.

    They subscript an array, or are added to a pointer.
    """
    for load in _LOAD.finditer(code):
        name = re.escape(load[1])
        index_use = rf"\[[^\[\];]*\b{name}\b|\+\s*\(?\s*{name}\s*\*"

        if re.search(index_use, code[load.end() :]):
            yield load[1]


def _iter_sums(code: str) -> Iterator[str]:
    """Yield the names that begin at zero and are added to inside a loop."""
    first_loop = _LOOP.search(code)
    search_start = first_loop.end() if first_loop else 0

    for addition in _SUM.finditer(code, search_start):
        # `total = 0` in front of the loop; a counter such as `i += 1` is no sum
        name = re.escape(addition[1])
        zero_start = rf"\b{name}\s*(?:=\s*|\(|\{{)(?:[\w:]+\s*\(\s*)?0(?:\.0*)?[fF]?\b"

        if re.search(zero_start, code):
            yield addition[1]
