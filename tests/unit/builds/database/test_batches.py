"""What is parsed first shows every kernel, and batches are shared out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.batches import (
    MAX_BATCH_UNITS,
    put_new_kernels_first,
    split_into_batches,
)
from crawler.checkout.include_graph import IncludeGraph

KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, []), (3, [3]), (6, [4, 2]), (58, [8] * 7 + [2]), (1000, [32] * 31 + [8])],
)
def test_batches_are_shared_out_and_bounded(count: int, sizes: list[int]) -> None:
    made = split_into_batches(list(range(count)))
    assert [len(batch) for batch in made] == sizes
    assert [position for batch in made for position in batch] == list(range(count))
    assert all(len(batch) <= MAX_BATCH_UNITS for batch in made)


def test_few_small_units_that_show_every_kernel_come_first(
    plant: Callable[[dict[str, str]], IncludeGraph],
) -> None:
    graph = plant(
        {
            "k.cuh": KERNEL,
            "a.cu": f'#include "k.cuh"\n{KERNEL}// it is larger than others\n',
            "b.cu": '#include "k.cuh"\n// some more\n',
            "c.cu": '#include "k.cuh"\n',
            "d.cu": KERNEL,
        }
    )
    entries = [synthesise_command(path, graph) for path in sorted(graph.scans)]
    paths = [command.file for command in entries]
    positions = [paths.index(path) for path in ("a.cu", "b.cu", "c.cu", "d.cu")]
    ordered = put_new_kernels_first(graph, entries, positions)
    assert [paths[position] for position in ordered] == ["d.cu", "c.cu", "a.cu", "b.cu"]
