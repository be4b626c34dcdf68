"""Which lines of a unit a launch ran, as its coverage counters tell.

A line ran where the innermost region round its beginning did, or one that begins on it; this is
how `llvm-cov` counts lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.validate.strength.coverage_mapping import LineRegion, evaluate_counter

_MAX_PAINTED_LINES: Final = 200_000
"""Of one function: a region within a region paints its lines once more."""


def find_taken_lines(
    regions_by_function: Mapping[int, Sequence[LineRegion]],
    counters_by_function: Iterable[tuple[int, tuple[int, ...]]],
) -> Iterator[tuple[int, bool]]:
    """Yield the lines with code of the functions that ran, each with whether it ran."""
    for function, counters in counters_by_function:
        regions = regions_by_function.get(function, ())
        yield from _paint_lines(regions, counters).items()


def _paint_lines(
    regions: Sequence[LineRegion], counters: tuple[int, ...]
) -> dict[int, bool]:
    """Return the lines of one function; its `regions` come with those round others first."""
    lines: dict[int, bool] = {}
    skipped: set[int] = set()
    painted = 0

    for region in regions:
        first, last = region.begin[0], region.end[0]
        painted += last - first + 1
        if painted > _MAX_PAINTED_LINES:
            return {}

        if region.is_skipped:
            skipped.update(range(first, last + 1))
            continue

        has_run = evaluate_counter(region.count, counters) > 0
        if not region.is_gap:
            lines[first] = has_run or lines.get(first, False)
        for line in range(first + 1, last + 1):
            lines[line] = has_run

    return {line: has_run for line, has_run in lines.items() if line not in skipped}
