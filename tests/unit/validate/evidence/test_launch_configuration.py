"""Grids are cut where they are too large, and numbers become extents."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.evidence.evaluation import Value
from crawler.validate.evidence.launch_configuration import (
    Dim3,
    LaunchConfiguration,
    limit_grid,
    to_dim3,
)


@pytest.mark.parametrize(
    ("value", "extents"),
    [(None, None), (7, (7, 1, 1)), ((2, 3), (2, 3, 1)), ((1, 2, 3, 4), (1, 2, 3))],
)
def test_a_value_has_three_extents(value: Value | None, extents: Dim3 | None) -> None:
    assert to_dim3(value) == extents


extent = st.integers(1, 1 << 16)


@given(st.tuples(extent, extent, extent), st.integers(0, 1 << 12))
def test_a_limited_grid_is_as_large_as_it_may_be_by_halves(
    grid: Dim3, max_blocks: int
) -> None:
    limited = limit_grid(grid, max_blocks)
    assert math.prod(limited) <= max(1, max_blocks)
    assert all(
        1 <= after <= before for after, before in zip(limited, grid, strict=True)
    )
    if math.prod(grid) <= max_blocks:
        assert limited == grid


def test_threads_are_counted_over_the_whole_grid() -> None:
    configuration = LaunchConfiguration(
        grid=(2, 3, 1), block=(32, 2, 1), shared_bytes=0, scalars={}, free_variables={}
    )
    assert configuration.thread_count == 384
