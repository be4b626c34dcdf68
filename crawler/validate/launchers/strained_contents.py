"""What kernels do with contents that nothing keeps from them.

Most kernels rely on their callers for indices that lie within what they index, and are not to
blame for others. One that looks at its indices is: where it keeps out whatever lies far beyond the
end, and leaves its memory for numbers that are negative, or a little too large, its check is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Final

from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    find_certain_faults,
)
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import ProgramRun

_MEMORY_KINDS: Final = ("out-of-bounds", "array-bounds")


class Strain(IntEnum):
    """Which numbers stand among the contents: see `torch_calls/arguments.h`."""

    NONE = 0
    NEGATIVE = 1
    NEAR = 2
    """Up to twice the largest size."""
    FAR = 3
    """Beyond 4096 and eight times the largest size."""


_DESCRIPTIONS: Final = {
    Strain.NEGATIVE: "with numbers below zero among its contents",
    Strain.NEAR: "with numbers a little too large among its contents",
}


def find_half_checks(
    runs: Mapping[Strain, ProgramRun],
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have with some contents though they keep out those that lie
    far beyond the end, with the contents.
    """
    far = runs[Strain.FAR]
    endured = {
        launch.instance for launch in far.log.launches if launch.is_finished
    } - dict(find_certain_faults(far)).keys()
    if not all(launch.is_finished for launch in far.log.launches):
        return

    for strain in (Strain.NEGATIVE, Strain.NEAR):
        for instance, fault in find_certain_faults(runs[strain]):
            if instance in endured and fault.code in _MEMORY_KINDS:
                yield instance, fault, strain


def describe_strain(strain: Strain) -> str:
    """Return in words what contents a fault was seen with."""
    return _DESCRIPTIONS[strain]
