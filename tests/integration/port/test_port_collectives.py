"""What lanes and blocks do together means what CUDA means: run on the host, on a wave of 64
lanes, against Python.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from tests.integration.port.test_port_header_semantics import compile_and_run

INPUT = [(index * 37 + 11) % 101 - 50 for index in range(192)]
LANES = range(64)

pytestmark = pytest.mark.apt("g++")


def test_collectives(tmp_path: Path) -> None:
    results = {}
    for line in compile_and_run("collectives", tmp_path):
        name, *words = line.split()
        results[name] = [float(word) for word in words]

    expected = compute_collectives()
    assert results.keys() == expected.keys()
    for name, values in expected.items():
        assert results[name] == [float(value) for value in values], name


def compute_collectives() -> dict[str, list[int]]:
    block = INPUT[:64]
    warp = [block[index // 32 * 32 : index // 32 * 32 + 32] for index in LANES]
    sums = list(accumulate(INPUT))
    by_key = sorted(range(128), key=lambda index: -INPUT[index])
    quotients = [int(value / 10) for value in block]
    loaded = [INPUT[index] if index < 100 else -1 for index in range(128)]
    return {
        "shfl": [warp[index][5] for index in LANES],
        "shfl_up": [
            block[index - 3] if index % 32 >= 3 else block[index] for index in LANES
        ],
        "shfl_down": [
            block[index + 4] if index % 16 + 4 < 16 else block[index] for index in LANES
        ],
        "shfl_xor": [block[index ^ 9] for index in LANES],
        "ballot": [
            sum((value > 0) << lane for lane, value in enumerate(warp[index]))
            & 0xFFFFFFF0
            for index in LANES
        ],
        "any": [int(index >= 32) for index in LANES],
        "all": [int(index < 32) for index in LANES],
        "match_any": [
            sum(
                (lane + index // 32 * 32) % 5 == index % 5 and 1 << lane
                for lane in range(32)
            )
            for index in LANES
        ],
        "reduce_add": [sum(warp[index][:16]) for index in LANES],
        "reduce_max": [max(warp[index]) for index in LANES],
        "block_sum": [sum(block)] * 64,
        "block_max_of_50": [max(block[:50])] * 64,
        "block_argmin": [quotients.index(min(quotients))] * 64,
        "inclusive_sum": sums[:64],
        "exclusive_scan": [
            max([-7, *block[:index]]) * 1000 + max(block) for index in LANES
        ],
        "scan_of_items_with_prefix": [1000 + sums[3 * index + 2] for index in LANES],
        "exclusive_sum_of_items": [sums[2 * index] for index in LANES],
        "warp_sum": _warp_sum(block),
        "warp_exclusive_of_8": [sum(block[index // 8 * 8 : index]) for index in LANES],
        "sort_descending": [by_key[2 * index + 1] for index in LANES],
        "sort_striped": sorted(INPUT[:128])[:64],
        "load_store": [loaded[2 * index] for index in LANES],
    }


def _warp_sum(block: list[int]) -> list[int]:
    """Sum over the lanes from each on, by halving: cub promises the first lane's only, and this
    is what is left.
    """
    values = block
    for step in (1, 2, 4, 8, 16):
        values = [
            value + values[index + step] if index % 32 + step < 32 else value
            for index, value in enumerate(values)
        ]
    return values
