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
_IN_CODE: Final = 2
_MORE_CODE: Final = 1
_IN_NAME: Final = 4
_ENOUGH: Final = 2
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LOOP: Final = re.compile(r"\b(?:for|while)\s*\(")
_GRID: Final = re.compile(r"\b(?:gridDim|blockDim)\b")
_STORE: Final = re.compile(r"\b\w+\s*\[([^\[\]]+)\]\s*[-+*/|&^]?=(?!=)")
_MOVE: Final = re.compile(
    r"\b\w+\s*(\[[^;={}]{1,300}\])\s*=\s*(?:[\w:<>]+\s*\(\s*)?\w+\s*(\[[^;={}]{1,300}\])\s*\)?\s*;"
)
_ANY_STORE: Final = re.compile(r"\b\w+\s*\[[^;={}]{1,300}\]\s*[-+*/|&^]?=(?!=)")
_LOADED: Final = re.compile(
    r"\b(\w+)\s*=\s*(?:\([\w: ]+\)\s*)?\w+\s*\[[^;]{1,300}\]\s*(?:[-+]\s*\w+\s*)?;"
)
_SUM: Final = re.compile(r"\b(\w+)\s*\+=[^;]{0,300}[^;\d\s]")
_COOPERATES: Final = re.compile(
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


def classify_computation(kernel: Kernel) -> Computation:
    """Return the class for which most speaks; where the kernel's own text says nothing, what it
    calls is asked.
    """
    own = _judged((*_named(kernel.name), *_written(blank_comments(kernel.source))))
    if own.kind != UNCLASSIFIED or kernel.unit is None:
        return own
    called = blank_comments(kernel.unit.source)
    return _judged(
        (kind, weight, f"{said} in a function that it calls")
        for kind, weight, said in _matched(called)
    )


def _judged(found: Iterable[_Evidence]) -> Computation:
    points: dict[str, int] = defaultdict(int)
    said: dict[str, list[str]] = defaultdict(list)
    for kind, weight, evidence in found:
        points[kind] += _MORE_CODE if points[kind] and weight == _IN_CODE else weight
        said[kind].append(evidence)
    if not points or max(points.values()) < _ENOUGH:
        return Computation(kind=UNCLASSIFIED, evidence=())
    kind = max(points, key=lambda each: points[each])
    return Computation(kind=kind, evidence=tuple(said[kind]))


def _named(name: str) -> Iterator[_Evidence]:
    words = _CAMEL.sub("_", name).lower()
    for kind, pattern in NAME_RULES:
        found = pattern.search(words)
        if found:
            yield kind, _IN_NAME, f"name: {found.group().strip('_')}"


def _matched(code: str) -> Iterator[_Evidence]:
    for kind, pattern, meaning in CODE_RULES:
        if pattern.search(code):
            yield kind, _IN_CODE, f"code: {meaning}"


def _written(code: str) -> Iterator[_Evidence]:
    yield from _matched(code)
    loops = sum(not _GRID.search(header) for header in _headers(code))
    moves = _MOVE.findall(code)
    if (
        moves
        and len(moves) == len(_ANY_STORE.findall(code))
        and any(to != of for to, of in moves)
    ):
        if "__shared__" in code:
            yield (
                "transpose",
                _IN_CODE,
                "code: moves elements through shared memory and changes none",
            )
        else:
            yield (
                "gather-scatter",
                _IN_CODE,
                "code: moves elements to other places and changes none",
            )
    indirect = next(_indirect(code), "")
    if indirect:
        yield (
            "gather-scatter",
            _IN_CODE,
            f"code: subscripts by {indirect}, which it has read",
        )
    summed = next(_summed(code), "") if loops else ""
    if summed:
        yield "reduction", _IN_CODE, f"code: each thread sums in a loop: {summed}"
    stores = {"".join(index.split()) for index in _STORE.findall(code)}
    if len(stores) == 1 and not _COOPERATES.search(code) and loops <= 1:
        yield (
            "elementwise",
            _IN_CODE,
            f"code: each thread writes its own element [{stores.pop()}]",
        )
    elif not loops and not _COOPERATES.search(code):
        yield (
            "elementwise",
            _IN_CODE,
            "code: each thread works by itself, without a loop",
        )


def _headers(code: str) -> Iterator[str]:
    """Yield what stands in the parentheses of each loop."""
    for loop in _LOOP.finditer(code):
        closing = closing_in_code(code, loop.end() - 1, pairs=ROUND)
        yield code[loop.end() : closing + 1 if closing >= 0 else len(code)]


def _indirect(code: str) -> Iterator[str]:
    """Yield the names that are read from an array and then subscript one, or are added to a
    pointer.
    """
    for loaded in _LOADED.finditer(code):
        name = re.escape(loaded.group(1))
        if re.search(
            rf"\[[^\[\];]*\b{name}\b|\+\s*\(?\s*{name}\s*\*", code[loaded.end() :]
        ):
            yield loaded.group(1)


def _summed(code: str) -> Iterator[str]:
    """Yield the names that begin at zero and are added to inside a loop."""
    first = _LOOP.search(code)
    for summed in _SUM.finditer(code, first.end() if first else 0):
        name = re.escape(summed.group(1))
        if re.search(
            rf"\b{name}\s*(?:=\s*|\(|\{{)(?:[\w:]+\s*\(\s*)?0(?:\.0*)?[fF]?\b", code
        ):
            yield summed.group(1)
