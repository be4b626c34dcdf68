"""What kernels do with contents that nothing keeps from them.

Most kernels rely on their callers for indices that lie within what they index, and are not to
blame for others. One that looks at its indices is: where it keeps out whatever lies far beyond the
end, and leaves its memory for numbers that are negative, a little too large, or the last that may
stand there, its check is wrong, or what it makes of a number that it lets through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import Final

from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    find_certain_fault,
    find_certain_faults,
    is_faultless,
)
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import ProgramRun

MEMORY_KINDS: Final = ("out-of-bounds", "array-bounds")
"""Findings that a kernel leaves its memory, or an array of its own."""


class Strain(IntEnum):
    """Which numbers stand among the contents: see `torch_calls/arguments.h`."""

    NONE = 0
    NEGATIVE = 1
    NEAR = 2
    """Up to twice the largest size."""
    FAR = 3
    """Beyond 4096 and eight times the largest size."""
    EDGE = 4
    """All whole numbers the same: one less than a size of the call, or that size."""
    REDRAWN = 5
    """Other real numbers of the same kind; whole ones as they were."""
    BOUNDS = 6
    """All whole numbers where parts of a list begin, the last where it ends; a size of the call is
    that of the list.
    """
    GAPS = 7
    """The same with nothing in the first parts and the last ones."""
    ONES = 8
    """All whole numbers one."""
    COMPARED = 9
    """Those that the kernel compares with; letters stand among bytes alone."""
    SPREAD = 10
    """Real numbers of another kind, for real arguments as well; whole ones as they were."""
    VARIED = 11
    """Whole numbers below each size of the call in turn, or from one up to it, or -1 among them."""
    FLIPPED = 12
    """As it was, with one of the flags that the launcher is given the other way."""
    SHIFTED = 13
    """As it was, in tensors that begin one element behind their memory."""
    RAISED = 14
    """All numbers large, in an order."""
    LOWERED = 15
    """All numbers below zero, in the same order and with other differences."""
    MOST = 16
    """As it was, with one number as large as a size that the launcher holds it against."""
    UNEVEN = 17
    """As it was, with one more where a size is a multiple of another."""


MILD_STRAINS: Final = (Strain.NEGATIVE, Strain.NEAR, Strain.EDGE)
"""Those that a kernel that looks at its indices has to bear."""

_DESCRIPTIONS: Final = {
    Strain.NEGATIVE: "with numbers below zero among its contents",
    Strain.NEAR: "with numbers a little too large among its contents",
    Strain.EDGE: "with all whole numbers at the edge of a size",
    Strain.REDRAWN: "with other real numbers",
    Strain.BOUNDS: "with whole numbers as where parts begin",
    Strain.GAPS: "with whole numbers as where parts begin, some of them empty",
    Strain.ONES: "with all whole numbers one",
    Strain.COMPARED: "with what it compares with among its contents",
    Strain.VARIED: "with other whole numbers that its checks let through",
    Strain.SPREAD: "with other real numbers among its contents and arguments",
    Strain.FLIPPED: "with one flag the other way",
    Strain.SHIFTED: "with tensors that begin one element behind their memory",
    Strain.RAISED: "with other numbers in an order, whatever they are",
    Strain.MOST: "with the largest number that it accepts",
    Strain.UNEVEN: "with one more than a multiple",
}


def list_enduring_kernels(far: ProgramRun) -> tuple[InstanceKey, ...]:
    """Return the kernels that keep out all numbers that lie far beyond the end, wherever these
    stand; none where a launch came to no end.
    """
    if not all(launch.is_finished for launch in far.log.launches):
        return ()

    faulty = dict(find_certain_faults(far)).keys()
    launched = dict.fromkeys(launch.instance for launch in far.log.launches)
    return tuple(instance for instance in launched if instance not in faulty)


def find_half_checks(
    runs: Mapping[Strain, ProgramRun], enduring: Collection[InstanceKey]
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have with some contents though they are `enduring` those that
    lie far beyond the end, with the contents.
    """
    for strain in MILD_STRAINS:
        for instance, fault in find_certain_faults(runs[strain]):
            if instance in enduring and fault.code in MEMORY_KINDS:
                yield instance, fault, strain


def find_gap_faults(
    bounds: ProgramRun, gaps: ProgramRun
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have where parts of a list are empty, in calls that go well
    where none is: what they are given means no index, for it ends with the size of the list.
    """
    faulty_calls = {
        launch.test for launch in bounds.log.launches if not is_faultless(launch)
    }
    endured_calls = {launch.test for launch in bounds.log.launches} - faulty_calls
    launches = tuple(
        launch for launch in gaps.log.launches if launch.test in endured_calls
    )
    comparable = replace(gaps, log=replace(gaps.log, launches=launches))

    for instance, fault in find_certain_faults(comparable):
        if fault.code in MEMORY_KINDS:
            yield instance, fault, Strain.GAPS


def find_faults_with_ones(
    ones: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults of kernels that leave the front of their memory where each whole number is
    one.

    A search may have ended with zeros in every length, under which nothing is done. As an index, a
    length or a label, one leads in front of nothing; what lies behind the end may be for want of a
    second row, or since one is where something begins that is as long as the whole.
    """
    seen_instances: set[InstanceKey] = set()
    for launch in ones.log.launches:
        fault = find_certain_fault(launch)
        if fault is None or launch.instance in seen_instances:
            continue
        if fault.code in MEMORY_KINDS and fault.lies_in_front:
            seen_instances.add(launch.instance)
            yield launch.instance, fault, Strain.ONES


def find_compared_faults(
    compared: ProgramRun, enduring: Collection[InstanceKey], *, are_letters: bool
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have where their contents are what they compare with.

    Of those alone that are `enduring`: another may take a number for an index. Letters are none,
    and come twice in any text, so two threads that meet for them are a race; whole numbers beside
    a text are all different then.
    """
    for instance, fault in find_certain_faults(compared):
        is_leaving = instance in enduring and fault.code in MEMORY_KINDS
        if is_leaving or (are_letters and fault.code == "race"):
            yield instance, fault, Strain.COMPARED


def find_shared_races(
    redrawn: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the races in shared memory that a kernel has with other real numbers.

    A search may have ended with numbers that keep threads from meeting, such as rows whose largest
    comes first. No caller has to: what threads of a block share is the kernel's own.
    """
    for instance, fault in find_certain_faults(redrawn):
        if fault.code == "race" and fault.is_shared:
            yield instance, fault, Strain.REDRAWN


def find_collision_races(
    spread: ProgramRun,
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the races that other real numbers show, in calls without whole ones.

    A histogram races only where two numbers fall into one bin, and a search may have ended with
    a range outside of all bins. A caller may promise distinct indices, but no distinct bins.
    """
    for instance, fault in find_certain_faults(spread):
        if fault.code == "race":
            yield instance, fault, Strain.SPREAD


def find_flag_races(
    flipped: ProgramRun, plain_calls: Collection[int]
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the races that a kernel has with one of its launcher's flags the other way; outside of
    shared memory in `plain_calls` alone, which are given no whole numbers that may come twice.

    A search ends with the flags under which nothing goes wrong, and a caller may give any. What
    leaves memory under others may be for shapes that go with them.
    """
    for instance, fault in find_certain_faults(flipped):
        if fault.code == "race" and (fault.is_shared or fault.test in plain_calls):
            yield instance, fault, Strain.FLIPPED


def find_varied_faults(
    varied: ProgramRun, checked_calls: Collection[int]
) -> Iterator[tuple[InstanceKey, LaunchFault, Strain]]:
    """Yield the faults that kernels have in calls whose launcher checked what it was given.

    Lengths that are all equal hide a sum that is taken for the longest. Two threads that meet in
    global memory may do so for an index that comes twice, which few launchers check.
    """
    launches = tuple(
        launch for launch in varied.log.launches if launch.test in checked_calls
    )
    accepted = replace(varied, log=replace(varied.log, launches=launches))

    for instance, fault in find_certain_faults(accepted):
        if fault.code in MEMORY_KINDS or (fault.code == "race" and fault.is_shared):
            yield instance, fault, Strain.VARIED


def describe_strain(strain: Strain) -> str:
    """Return in words what contents a fault was seen with."""
    return _DESCRIPTIONS[strain]
