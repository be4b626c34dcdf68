"""What the code of a kernel shows of its loops, its sums, and the indices that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.brackets import ROUND, closing_in_code

_MAX_ORIGIN_STEPS: Final = 3
"""From `row` to `blockIdx.x * blockDim.x + threadIdx.x` by way of other variables."""
# Kernels in any state are judged, many of which no parser takes whole; a slip costs a tag.
LOOP: Final = re.compile(r"\b(?:for|while)\s*\(")
_GRID_STRIDE: Final = re.compile(r"\b(?:gridDim|blockDim)\b")
_ASSIGNMENT: Final = re.compile(r"\b(\w+)\s*=(?!=)([^;={}]{1,300})(?=;)")
_LOADED_VALUE: Final = re.compile(
    r"\s*(?:\([\w: ]+\)\s*)?[\w.]*\w(?:->\w+)?\s*\[.{1,300}\]\s*(?:[-+]\s*\w+\s*)?",
    re.DOTALL,
)
_SUBSCRIPT_START: Final = re.compile(r"\[[^\[\];]*")
_POINTER_OFFSET: Final = re.compile(r"\+\s*\(?\s*(\w+)\s*\*")
_INTEGER: Final = re.compile(r"\b(?:int|long|auto|unsigned|\w+_t)\s+(\w+)\s*=")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_COUNTER: Final = re.compile(r"\b(\w+)\s*=(?!=)")
_SUM: Final = re.compile(r"\b(\w+)\s*\+=[^;]{0,300}[^;\d\s]")


def is_of_thread(index: str, code: str) -> bool:
    """Tell whether an index may be another one for each thread: it is not a number, that of a
    block, or one that a loop counts.
    """
    names = set(_WORD.findall(index))
    if not names or "++" in index or names & _list_counters(code):
        return False

    assignments = _ASSIGNMENT.findall(code)
    origin = index
    for _ in range(_MAX_ORIGIN_STEPS):
        values = {value for name, value in assignments if name in names}
        origin = " ".join((origin, *values))
        names = set(_WORD.findall(origin))
    return "blockIdx" not in origin or "threadIdx" in origin


def _list_counters(code: str) -> set[str]:
    """Return the variables that loops of one thread alone count with."""
    return {
        name
        for header in iter_own_loop_headers(code)
        for name in _COUNTER.findall(header)
    }


def iter_own_loop_headers(code: str) -> Iterator[str]:
    """Yield the heads of loops, but for those that do the work of more threads."""
    # `stride = blockDim.x * gridDim.x`
    strides = {name for name, value in _ASSIGNMENT.findall(code) if "gridDim" in value}
    for header in _iter_loop_headers(code):
        is_over_grid = _GRID_STRIDE.search(header) is not None
        if not is_over_grid and strides.isdisjoint(_WORD.findall(header)):
            yield header


def _iter_loop_headers(code: str) -> Iterator[str]:
    """Yield what stands in the parentheses of each loop."""
    for loop in LOOP.finditer(code):
        closing = closing_in_code(code, loop.end() - 1, pairs=ROUND)
        end = closing + 1 if closing >= 0 else len(code)
        yield code[loop.end() : end]


def iter_loaded_indices(code: str) -> Iterator[str]:
    """Yield the names that are read from an array, or computed of such, and then used as an index.

    They subscript an array, or are added to a pointer.
    """
    last_uses = _find_last_index_uses(code)
    loaded_names: set[str] = set()

    for assignment in _ASSIGNMENT.finditer(code):
        name, value = assignment.groups()
        is_load = _LOADED_VALUE.fullmatch(value) is not None
        if not is_load and loaded_names.isdisjoint(_WORD.findall(value)):
            continue

        loaded_names.add(name)
        if last_uses.get(name, -1) > assignment.end():
            yield name


def _find_last_index_uses(code: str) -> dict[str, int]:
    """Return where each name is used as an index for the last time."""
    uses: dict[str, int] = {}
    for subscript in _SUBSCRIPT_START.finditer(code):
        uses.update(dict.fromkeys(_WORD.findall(subscript[0]), subscript.end()))

    # `row + index * width` may be a pointer, of which an index is an integer
    integers = set(_INTEGER.findall(code))
    for offset in _POINTER_OFFSET.finditer(code):
        if offset[1] in integers:
            uses[offset[1]] = max(uses.get(offset[1], 0), offset.end())

    return uses


def iter_sums(code: str) -> Iterator[str]:
    """Yield the names that begin at zero and are added to inside a loop."""
    first_loop = LOOP.search(code)
    search_start = first_loop.end() if first_loop else 0

    for addition in _SUM.finditer(code, search_start):
        # `total = 0` in front of the loop; a counter such as `i += 1` is no sum
        name = re.escape(addition[1])
        zero_start = rf"\b{name}\s*(?:=\s*|\(|\{{)(?:[\w:]+\s*\(\s*)?0(?:\.0*)?[fF]?\b"

        if re.search(zero_start, code):
            yield addition[1]
