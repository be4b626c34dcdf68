"""Launch configuration with concrete extents, and the scalar arguments that go with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from crawler.validate.evidence.evaluation import Value

_MAX_GRID_EXTENT: Final = 1 << 16
MAX_BLOCK_THREADS: Final = 1024
"""Of a block."""
Dim3 = tuple[int, int, int]
ValueChooser = Callable[[str, tuple[str, ...], int], int]
"""From a free variable, the names that it goes by and its ordinary value to the value that it
shall have.
"""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much memory stands behind a pointer."""

    count: int
    """Of elements."""
    element_size: int
    """In bytes; 0 for that of what the kernel's parameter points to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchConfiguration:
    """A launch configuration, and the scalars that go with it."""

    grid: Dim3
    block: Dim3
    shared_bytes: int
    scalars: Mapping[str, int | float]
    """By parameter, or `parameter.member`."""
    free_variables: Mapping[str, int]
    """The values that the free variables were given."""
    grid_variables: tuple[str, ...] = ()
    """The free variables that the grid is computed from."""
    passed_variables: Set[str] = frozenset()
    """The free variables that the kernel's numbers are computed from."""
    extents: Mapping[str, Extent] = field(default_factory=dict)
    """Of the memory behind pointers, by parameter, where the launcher tells it."""

    @property
    def thread_count(self) -> int:
        """Of the whole grid."""
        block_count = math.prod(self.grid)
        threads_per_block = math.prod(self.block)

        return block_count * threads_per_block


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarParameter:
    """A number that a kernel is passed, by itself or in a structure."""

    name: str
    """Of the parameter, or `parameter.member`."""
    is_real: bool = False
    is_bool: bool = False
    axis: int = -1
    """Of the shape of what is passed; -1 for all else."""


def clamp_extents(grid: Dim3) -> Dim3:
    """Return a grid of one block at least and of no more along an axis than a device takes."""
    x, y, z = (min(max(extent, 1), _MAX_GRID_EXTENT) for extent in grid)
    return x, y, z


def limit_grid(grid: Dim3, max_blocks: int) -> Dim3:
    """Return a grid of at most so many blocks, its longest axes cut: threads that take turns do
    the same in more.
    """
    extents = list(grid)
    block_limit = max(1, max_blocks)

    while math.prod(extents) > block_limit:
        longest_extent = max(extents)
        axis = extents.index(longest_extent)
        # rounded up, so that no axis loses its last block
        extents[axis] = (longest_extent + 1) // 2

    x, y, z = extents

    return x, y, z


def to_dim3(value: Value | None) -> Dim3 | None:
    """Return a number, or up to three, as the extents of all axes; `None` of none."""
    if value is None:
        return None

    numbers = value if isinstance(value, tuple) else (value,)
    extents = [int(number) for number in numbers]
    extents += [1, 1, 1]
    x, y, z = extents[:3]

    return x, y, z
