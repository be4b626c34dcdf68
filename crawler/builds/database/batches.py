"""Order the translation units to parse, and split them into batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from crawler.checkout.include_graph import IncludeGraph
from crawler.model import CompileCommand

MAX_BATCH_UNITS: Final = 32
_MIN_BATCH_UNITS: Final = 4
_WORKERS: Final = 8


def put_new_kernels_first(
    graph: IncludeGraph, entries: Sequence[CompileCommand], positions: Iterable[int]
) -> list[int]:
    """Return positions of entries so that a few of them show every file with kernels.

    Each such file is shown by the smallest unit that includes it. All others, which show further
    uses at most, come behind them in their order: a crawl that is ended before has every kernel.
    """
    positions = list(positions)
    unseen_files = set(graph.kernel_files | graph.kernel_string_files)
    first_positions: list[int] = []
    measure = _UnitMeasure(graph)
    for position in sorted(
        positions, key=lambda position: measure.measure_unit(entries[position].file)
    ):
        reached_files = graph.list_reached_files(entries[position].file)
        if not unseen_files.isdisjoint(reached_files):
            unseen_files.difference_update(reached_files)
            first_positions.append(position)

    is_first = set(first_positions)
    return [
        *first_positions,
        *(position for position in positions if position not in is_first),
    ]


def split_into_batches(positions: list[int]) -> tuple[tuple[int, ...], ...]:
    """Cut positions into batches: enough of them to share out, none over 32 units."""
    # a few large batches would leave workers idle
    share = _divide_up(len(positions), _WORKERS)
    size = min(MAX_BATCH_UNITS, max(_MIN_BATCH_UNITS, share))
    batches = []

    for start in range(0, len(positions), size):
        batches.append(tuple(positions[start : start + size]))

    return tuple(batches)


class _UnitMeasure:
    """Measures units, whose headers are mostly those of others, too: each is read once."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph
        self._sizes: dict[str, int] = {}

    def measure_unit(self, file: str) -> tuple[int, str]:
        """Return the bytes of a unit's files in the tree, and its path where they are as many."""
        size = sum(map(self._measure_file, self._graph.list_reached_files(file)))
        return size, file

    def _measure_file(self, path: str) -> int:
        size = self._sizes.get(path)
        if size is None:
            size = self._sizes[path] = len(self._graph.tree.read_bytes(path))
        return size


def _divide_up(count: int, divisor: int) -> int:
    return -(-count // divisor)
