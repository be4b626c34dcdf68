"""Narrow a kernel unit to one of its instantiations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from crawler.dataset.rows.unit_row import UnitRow
from crawler.model import KernelUnit

# a line of a unit, which we have written ourselves
_EXPLICIT_INSTANTIATION: Final = re.compile(r"^template\s+__global__\s")


def select_instantiation_source(unit: UnitRow | KernelUnit, position: int) -> str:
    """Return the unit's text with the explicit instantiation of `position` alone.

    The text stays whole where its instantiations are not one a line at its end, as `link`
    writes them.
    """
    lines = unit.source.splitlines(keepends=True)
    end = len(lines)
    start = end
    while start and _EXPLICIT_INSTANTIATION.match(lines[start - 1]):
        start -= 1

    line_count = end - start
    is_line_each = line_count == len(unit.instantiations)
    if not is_line_each or line_count < 2:
        return unit.source

    selected_line = lines[start + position]
    return "".join([*lines[:start], selected_line])


def narrow_unit(unit: KernelUnit, position: int) -> tuple[KernelUnit, int]:
    """Return the unit with the instantiation of `position` alone, and its position in there;
    the whole as it is.
    """
    source = select_instantiation_source(unit, position)
    if source == unit.source:
        return unit, position

    instantiations = unit.instantiations[position : position + 1]
    narrow = replace(unit, source=source, instantiations=instantiations)
    return narrow, 0
