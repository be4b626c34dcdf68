"""What kernels do in calls that a launcher lets through as well as those that a search ended with.

Neither where a tensor begins in its memory, nor numbers of which nothing but the order matters, nor
a number that a check holds against a size alone are anything that a caller has to see to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from crawler.validate.launchers.strained_contents import MEMORY_KINDS, Strain
from crawler.validate.programs.runs.launch_comparison import pair_launches
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    find_certain_fault,
    find_certain_faults,
)
from crawler.validate.programs.runs.launch_log import InstanceKey, LoggedLaunch
from crawler.validate.programs.runs.program_runs import ProgramRun

_MISALIGNED: Final = "misaligned"
_RACE: Final = "race"
_UNWRITTEN: Final = "uninitialised-read"
_EQUAL_CALLS: Final = 27
"""The first calls, in which all numbers of an argument are equal: see `torch_calls/arguments.h`."""
# what our own program prints of a tensor: its type and its sides
_TENSOR: Final = re.compile(
    r"\b(?:u?int\d+|half|float|double|bool|bfloat16)\[([\d, ]*)\]"
)


def takes_any_rows(calls: Iterable[str]) -> bool:
    """Tell whether each tensor has rows of odd length in some of a launcher's `calls`: then it
    takes no care that rows are whole vectors, and cannot rely on where its tensors begin.
    """
    odd_by_call: list[list[bool]] = []
    for call in calls:
        sides = [matched[1].split(",")[-1] for matched in _TENSOR.finditer(call)]
        odd_by_call.append([_is_odd_length(side.strip()) for side in sides])

    counts = {len(odd) for odd in odd_by_call}
    if len(counts) != 1 or counts == {0}:
        return False
    return all(map(any, zip(*odd_by_call, strict=True)))


def find_shifted_faults(
    shifted: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults of kernels that read tensors in units which these do not begin with.

    A slice of a longer tensor, `x[1:]`, is contiguous for every check but one of its address.
    """
    for instance, fault in find_certain_faults(shifted):
        if fault.code == _MISALIGNED:
            yield instance, fault, Strain.SHIFTED


def find_ranked_faults(
    raised: ProgramRun, lowered: ProgramRun
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have at the same place, as often, and in the same thread, with
    numbers that are the same in nothing but their order.

    What is an index, a length or a difference of two leads elsewhere in one of them; a search that
    goes one too far goes there in both, and no caller can keep it from that. It has to do so both
    where all numbers of an argument are equal, which a caller may rule out, and where none are.
    """
    faults: dict[InstanceKey, dict[bool, LaunchFault]] = {}
    for launch, same in pair_launches(raised, lowered):
        fault = find_certain_fault(launch)
        if fault is None or fault.code not in MEMORY_KINDS:
            continue
        if _has_same_fault(launch, same, fault.code):
            are_equal = launch.test <= _EQUAL_CALLS
            faults.setdefault(launch.instance, {}).setdefault(are_equal, fault)

    for instance, faults_by_kind in faults.items():
        if len(faults_by_kind) > 1:
            yield instance, faults_by_kind[False], Strain.RAISED


def find_largest_faults(
    most: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have where a number is as large as its launcher's checks let
    it be.

    A search ends with a number under which nothing goes wrong, and keeps clear of those for which
    a kernel has no room.
    """
    for instance, fault in find_certain_faults(most):
        is_shared_race = fault.code == _RACE and fault.is_shared
        if fault.code in MEMORY_KINDS or is_shared_race:
            yield instance, fault, Strain.MOST


def find_uneven_faults(
    faults: Mapping[InstanceKey, LaunchFault],
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield those `faults` that kernels have where a size leaves a rest that the launcher lets
    through: it compares `x.size(1) / 2` with what is half of that.

    What is left out of the results then was written in each call that a search ended with.
    """
    for instance, fault in faults.items():
        is_shared_race = fault.code == _RACE and fault.is_shared
        if fault.code in (*MEMORY_KINDS, _UNWRITTEN) or is_shared_race:
            yield instance, fault, Strain.UNEVEN


def _is_odd_length(side: str) -> bool:
    return side.isdecimal() and int(side) > 1 and int(side) % 2 == 1


def _has_same_fault(launch: LoggedLaunch, other: LoggedLaunch, code: str) -> bool:
    finding = launch.find_finding(code)
    return finding is not None and finding == other.find_finding(code)
