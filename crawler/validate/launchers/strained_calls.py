"""Faults of a launcher's kernels that other contents, numbers or views show than those of a call
in which nothing goes wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from crawler.validate.launchers.call_search import (
    FoundCall,
    are_all_accepted,
    list_checked_calls,
    read_accepted_calls,
)
from crawler.validate.launchers.host_differences import find_host_differences
from crawler.validate.launchers.repeated_calls import RepeatedCalls
from crawler.validate.launchers.strained_contents import (
    MILD_STRAINS,
    Strain,
    describe_strain,
    find_collision_races,
    find_compared_faults,
    find_faults_with_ones,
    find_flag_races,
    find_gap_faults,
    find_half_checks,
    find_shared_races,
    find_varied_faults,
    list_enduring_kernels,
)
from crawler.validate.launchers.telling_faults import (
    list_plain_calls,
    takes_flags,
    takes_whole_numbers,
)
from crawler.validate.launchers.varied_calls import (
    find_largest_faults,
    find_ranked_faults,
    find_shifted_faults,
    find_uneven_faults,
    takes_any_rows,
)
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    ProgramRuns,
    find_faults,
)
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import (
    FORWARD,
    ORDINARY,
    POISON,
    REVERSE,
    ZERO,
    ProgramRun,
)

_STRAINED_INSTANCES: Final = 0b1111
"""The small ones: a loop to a number that is far too large ends at some time."""


def find_strained_faults(
    calls: RepeatedCalls,
    found_call: FoundCall,
    plain_run: ProgramRun,
    *,
    has_host_path: bool,
) -> Iterator[tuple[InstanceKey, LaunchFault]]:
    """Yield the faults of kernels that only other contents than those of `plain_run` show, or what
    the project computes on a host; the latter alone where the launcher does not look at its shapes.
    """
    runs: dict[Strain, ProgramRun] = {}
    faults: list[tuple[InstanceKey, LaunchFault, Strain]] = []
    if found_call.is_checked or has_host_path:
        runs[Strain.REDRAWN] = calls.repeat(found_call, strain=Strain.REDRAWN)
        faults += find_host_differences(runs[Strain.REDRAWN])
    if found_call.is_checked:
        faults += _list_content_faults(calls, found_call, plain_run, runs)
    if found_call.is_measured:
        faults += _list_varied_calls_faults(calls, found_call, plain_run, runs)

    yield from _name_calls(faults, runs)


def _list_uneven_faults(
    calls: RepeatedCalls, found_call: FoundCall, runs: dict[Strain, ProgramRun]
) -> list[tuple[InstanceKey, LaunchFault, Strain]]:
    """Return the faults where a size is one more than a multiple of another, in every way that
    may tell something, if the launcher accepts such calls.
    """

    def repeat(*, order: int = FORWARD, fill: int = POISON) -> ProgramRun:
        return calls.repeat(found_call, order=order, fill=fill, strain=Strain.UNEVEN)

    uneven = runs[Strain.UNEVEN] = repeat()
    if not any(read_accepted_calls(uneven)):
        return []

    all_runs = ProgramRuns(
        poisoned=uneven,
        zeroed=repeat(fill=ZERO),
        reversed=repeat(order=REVERSE),
        refilled=repeat(fill=ORDINARY),
    )
    return list(find_uneven_faults(find_faults(all_runs, repeat)))


def observe_well_calls(
    calls: RepeatedCalls, found_call: FoundCall
) -> tuple[ProgramRuns, dict[InstanceKey, LaunchFault]]:
    """Return runs of those instances of a call in which nothing goes wrong, though something does
    in others, and the faults of which the values of all numbers are no cause.

    What goes wrong in the others may be for want of numbers as they are meant.
    """
    few = found_call.keep_clean_instances().limit_instances(_STRAINED_INSTANCES)
    runs = {
        strain: calls.repeat(few, strain=strain)
        for strain in (Strain.RAISED, Strain.LOWERED)
    }
    raised, lowered = runs[Strain.RAISED], runs[Strain.LOWERED]
    faults = dict(_name_calls(find_ranked_faults(raised, lowered), runs))

    return ProgramRuns(poisoned=raised, zeroed=None, reversed=lowered), faults


def _name_calls(
    faults: Iterable[tuple[InstanceKey, LaunchFault, Strain]],
    runs: Mapping[Strain, ProgramRun],
) -> Iterator[tuple[InstanceKey, LaunchFault]]:
    """Yield faults with the calls that they were seen in; of what is refused in the end, none."""
    for instance, fault, strain in faults:
        call = dict(read_accepted_calls(runs[strain])).get(fault.test)
        if call is not None:
            message = f"{call}, {describe_strain(strain)}: {fault.message}"
            yield instance, replace(fault, message=message)


def _list_content_faults(
    calls: RepeatedCalls,
    found_call: FoundCall,
    plain_run: ProgramRun,
    runs: dict[Strain, ProgramRun],
) -> list[tuple[InstanceKey, LaunchFault, Strain]]:
    """Return the faults that other contents show, and add the runs with these to `runs`."""
    called = dict(read_accepted_calls(plain_run))
    has_integers = any(map(takes_whole_numbers, called.values()))
    are_contents_checked = bool(list_checked_calls(plain_run))
    faults = [*find_shared_races(runs[Strain.REDRAWN])]

    few = found_call.limit_instances(_STRAINED_INSTANCES)
    runs[Strain.FAR] = calls.repeat(few, strain=Strain.FAR)
    # what goes beyond the memory that a caller gives is no call, and says nothing of checks
    is_endured = are_all_accepted(runs[Strain.FAR], few.accepted_count)
    endured = list_enduring_kernels(runs[Strain.FAR]) if is_endured else ()
    if endured:
        for strain in MILD_STRAINS:
            runs[strain] = calls.repeat(few, strain=strain)
        faults += find_half_checks(runs, endured)
    if has_integers:
        for strain in (Strain.BOUNDS, Strain.GAPS):
            runs[strain] = calls.repeat(few, strain=strain)
        faults += find_gap_faults(runs[Strain.BOUNDS], runs[Strain.GAPS])
        runs[Strain.ONES] = calls.repeat(few, strain=Strain.ONES)
        faults += find_faults_with_ones(runs[Strain.ONES])
    else:
        runs[Strain.SPREAD] = calls.repeat(few, strain=Strain.SPREAD)
        faults += find_collision_races(runs[Strain.SPREAD])
    if are_contents_checked:
        varied = runs[Strain.VARIED] = calls.repeat(few, strain=Strain.VARIED)
        faults += find_varied_faults(varied, list_checked_calls(varied))
    if any(map(takes_flags, called.values())):
        flipped = runs[Strain.FLIPPED] = calls.repeat(few, strain=Strain.FLIPPED)
        faults += find_flag_races(flipped, list_plain_calls(flipped))
    if has_integers and calls.compared.values:
        runs[Strain.COMPARED] = calls.repeat(few, strain=Strain.COMPARED)
        faults += find_compared_faults(
            runs[Strain.COMPARED], endured, are_letters=calls.compared.are_letters
        )

    return faults


def _list_varied_calls_faults(
    calls: RepeatedCalls,
    found_call: FoundCall,
    plain_run: ProgramRun,
    runs: dict[Strain, ProgramRun],
) -> list[tuple[InstanceKey, LaunchFault, Strain]]:
    """Return the faults in calls that no check refuses and no caller has to keep from the kernels,
    and add the runs with these to `runs`.
    """
    few = found_call.limit_instances(_STRAINED_INSTANCES)
    for strain in (Strain.RAISED, Strain.LOWERED):
        runs[strain] = calls.repeat(few, strain=strain)
    faults = [*find_ranked_faults(runs[Strain.RAISED], runs[Strain.LOWERED])]
    if takes_any_rows(dict(read_accepted_calls(plain_run)).values()):
        runs[Strain.SHIFTED] = calls.repeat(found_call, strain=Strain.SHIFTED)
        faults += find_shifted_faults(runs[Strain.SHIFTED])
    if found_call.is_checked:
        runs[Strain.MOST] = calls.repeat(found_call, strain=Strain.MOST)
        faults += find_largest_faults(runs[Strain.MOST])
        faults += _list_uneven_faults(calls, found_call, runs)

    return faults
