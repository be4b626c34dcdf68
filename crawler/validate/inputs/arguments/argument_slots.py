"""Places of pointers and numbers within the arguments of a kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass

from crawler.validate.inputs.arguments.fast_divisors import DivisorPart
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType


@dataclass(frozen=True, slots=True)
class BufferSlot:
    """A pointer among the arguments: what it points to becomes a buffer."""

    name: str
    argument: int
    offset: int
    """Bytes from the begin of the argument, or of the element that the pointer stands in."""
    element: ElementType | None
    """`None` for a `void *` and the like."""
    is_const: bool
    parent_slot: int = -1
    """The slot in each of whose elements the pointer stands; -1 for one among the arguments."""


@dataclass(frozen=True, slots=True)
class ScalarSlot:
    """A number among the arguments."""

    name: str
    argument: int
    offset: int
    scalar: ScalarType
    axis: int = -1
    """Axis of a shape or of strides."""
    rank: int = 0
    """How many axes there are; of a number that counts them, how many it counts."""
    role: str = ""
    """`shape`, `stride`, `rank`, `one` for an axis that is not used, `pair` for the extent of
    one of many axes, `apart` for strides with no shape beside them, or nothing.
    """
    span: int = 1
    """Elements that lie between strides that are `apart` at least, of each axis."""
    divisor_part: DivisorPart | None = None
    """How it derives from a divisor."""
    divisor: str = ""
    """Name of the slot that holds that divisor."""

    @property
    def group(self) -> str:
        """The structure, or the array, that it is part of."""
        # `info.sizes[1]` belongs to `info.sizes`, and `grid.x` to `grid`.
        return re.sub(r"\[\d+\]$|\.[xyzw]$", "", self.name)


def element_name(name: str, index: int, count: int) -> str:
    """Return the name of one of `count` elements; that of the array where it has one alone."""
    return name if count == 1 else f"{name}[{index}]"


def parent_name(name: str) -> str:
    """Return the name of the structure that a member stands in: `a.b` for `a.b.c`."""
    return name.rpartition(".")[0]
