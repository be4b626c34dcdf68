"""Leave a closure's shared memory uninitialised where its device's compiler would not take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crawler.extract.closure.emit_unit import find_fragment_ranges
from crawler.extract.ladder.unit_check import UnitError
from crawler.extract.nvcc.uninitialised_shared import (
    INITIALISATION_ERROR,
    leave_uninitialised,
)
from crawler.model import Closure, Rung


def leave_memory_uninitialised(
    closure: Closure, source: str, errors: Sequence[UnitError]
) -> Closure | None:
    """Return a closure without the initialisations that errors of its unit are about.

    `source` is the text of that unit. `None` where there are none, or none that could go.
    """
    lines = {
        error.lines[0]
        for error in errors
        if error.lines and error.message.startswith(INITIALISATION_ERROR)
    }
    if not lines:
        return None

    fragments = []
    for start, end in find_fragment_ranges(closure, source):
        lines_before = source.count("\n", 0, start)
        own_lines = {line - lines_before for line in lines}
        fragments.append(leave_uninitialised(source[start:end], own_lines))

    if tuple(fragments) == closure.fragments:
        return None
    rung = Rung.MENDED if closure.rung is Rung.MINIMAL else closure.rung
    return replace(closure, fragments=tuple(fragments), rung=rung)
