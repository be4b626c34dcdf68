"""The benchmark of near copies counts what it has planted."""

from __future__ import annotations

import re

from benchmarks.dataset.near_copies import count_pairs, measure_near_copies


def test_copies_in_the_cluster_of_their_first_are_counted() -> None:
    assert count_pairs(["a", "a", "b", "c", "c", "c"], [0, 0, 0, 1, 1, 1]) == 3


def test_nearly_all_planted_copies_are_found_and_no_strangers() -> None:
    """A copy with two of forty statements replaced is near the limit."""
    lines = "\n".join(measure_near_copies(300))
    found_count, planted = map(
        int, re.findall(r"copies found \| (\d+) of (\d+)", lines)[0]
    )
    assert planted == 200
    assert found_count >= 185
    groups = int(re.findall(r"groups \| (\d+)", lines)[0])
    assert 100 <= groups <= 100 + planted - found_count
