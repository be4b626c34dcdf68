"""Memory as the host allocates it: an expression for its size, and what it holds at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler.validate.evidence.expressions.expression_tree import Expression

UNINITIALISED: Final = -1
"""In place of a fill byte: nobody has written anything before the launch."""
PARAMETER_ELEMENT: Final = "*"
"""In place of an element type: what the kernel's parameter points to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What a launcher passes for one pointer of a kernel."""

    size: Expression | None
    """Bytes, or elements where there is an element type; `None` where what is passed holds its
    own shape, as an accessor does.
    """
    element_type: str = ""
    """As the host spells it; empty for bytes."""
    fill_byte: int | None = None
    """What every byte is when the kernel starts; `UNINITIALISED`, or `None` where that is not
    known.
    """
