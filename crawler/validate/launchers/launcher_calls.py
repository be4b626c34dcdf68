"""What the calls of a project's launcher show of the kernels that it launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.launchers.call_search import (
    FoundCall,
    are_all_accepted,
    list_checked_calls,
    read_accepted_calls,
    read_found_call,
    wants_other_types,
)
from crawler.validate.launchers.host_differences import find_host_differences
from crawler.validate.launchers.launcher_source import (
    CalledTypes,
    LauncherSource,
    render_launcher_program,
)
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
    iter_telling_faults,
    list_plain_calls,
    takes_flags,
    takes_whole_numbers,
)
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.host_build.build_failure import (
    UNDEFINED_SYMBOL,
)
from crawler.validate.programs.host_build.program_build import (
    HostProgram,
    build_host_program,
    rebuild_with_zeros,
)
from crawler.validate.programs.runs.kernel_launches import (
    KernelLaunches,
    add_recordings,
    summarise_launches,
)
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    ProgramRuns,
    find_faults,
)
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import (
    ORDINARY,
    REVERSE,
    ZERO,
    ProgramRun,
)
from crawler.validate.recordings.data_licence import find_data_licence
from crawler.validate.recordings.recording_source import RecordingSource

NO_CALL: Final = "no-call"
"""Code of a launcher of which no call was found that comes to a launch and tells something."""
_UNTELLING: Final = (
    "something goes wrong in each call, and what it does not check may be why"
)
_STRAINED_INSTANCES: Final = 0b1111
"""The small ones: a loop to a number that is far too large ends at some time."""
_MIN_CALLS: Final = 3
"""Calls of different sizes that agree before a kernel is held to be consistent."""
_POINTER: Final = "*"


def observe_launcher(root: Path, source: LauncherSource) -> ProgramReport:
    """Build a program that calls a launcher of the checkout `root`, search for calls that it
    accepts, repeat the best in every way that may tell something, and report what its kernels did.

    Raises `MissingTool` where the sandbox does not work.
    """
    program = _build_program(root, source, CalledTypes.FIRST)
    if program.code:
        return ProgramReport(code=program.code, message=program.message)

    calls = RepeatedCalls(
        root=root,
        directory=source.command.directory,
        program=program,
        compared=source.compared,
    )
    searched = calls.search()
    if wants_other_types(searched):
        program = _build_program(root, source, CalledTypes.ALL)
        calls = replace(calls, program=program)
        searched = searched if program.code else calls.search()
    found_call = read_found_call(searched)
    if found_call is None and program.missing:
        return ProgramReport(code=UNDEFINED_SYMBOL, message=program.missing)
    if found_call is None:
        return ProgramReport(code=NO_CALL, message=searched.output[-500:])
    if not (found_call.is_clean or found_call.is_telling):
        return ProgramReport(code=NO_CALL, message=_UNTELLING)

    runs = _repeat_calls(calls, found_call)
    faults = find_faults(runs, lambda: calls.repeat(found_call))
    called = dict(read_accepted_calls(runs.poisoned))
    faults = dict(iter_telling_faults(faults, called))
    # what its kernels do with other contents may be its callers' fault where it checks nothing,
    # but not what the function in its place does otherwise
    may_strain = found_call.is_checked or bool(source.host_path)
    if found_call.is_clean and may_strain and not faults:
        faults = dict(_find_strained_faults(calls, found_call, runs.poisoned))
    kernels = tuple(
        _drop_doubtful_agreement(kernel, found_call)
        for kernel in summarise_launches(program, runs, faults)
    )
    if found_call.is_clean:
        kernels = add_recordings(
            kernels,
            program,
            [
                launch
                for launch in runs.poisoned.recordings
                # of memory behind a pointer nobody knows the size
                if _POINTER not in called.get(launch.test, _POINTER)
            ],
            RecordingSource(
                origin=CaseOrigin.PROJECT_LAUNCHER,
                name=f"{source.name} in {source.command.file}",
                licence=find_data_licence(root, source.command.file),
            ),
        )
    return ProgramReport(kernels=kernels, launcher=source.name)


def _build_program(
    root: Path, source: LauncherSource, types: CalledTypes
) -> HostProgram:
    wrapper = render_launcher_program(source, types)
    return build_host_program(root, (source.command,), wrapper=wrapper)


def _repeat_calls(calls: RepeatedCalls, found_call: FoundCall) -> ProgramRuns:
    """Return the calls in every way that may tell something."""
    poisoned = calls.repeat(found_call, records=found_call.is_clean)
    return ProgramRuns(
        poisoned=poisoned,
        zeroed=_repeat_zeroed(calls, found_call),
        reversed=calls.repeat(found_call, order=REVERSE),
        refilled=calls.repeat(found_call, fill=ORDINARY),
    )


def _repeat_zeroed(calls: RepeatedCalls, found_call: FoundCall) -> ProgramRun | None:
    """Return the run in which whatever nobody wrote holds zeros, locals too; `None` where the
    program does not compile so.

    A launcher without checks is not worth a second program: its kernels' locals are looked at
    where the kernels are run alone.
    """
    if not found_call.is_checked:
        return calls.repeat(found_call, fill=ZERO)

    program = rebuild_with_zeros(calls.root, calls.program)
    if program.code:
        return None

    return replace(calls, program=program).repeat(found_call, fill=ZERO)


def _find_strained_faults(
    calls: RepeatedCalls, found_call: FoundCall, plain_run: ProgramRun
) -> Iterator[tuple[InstanceKey, LaunchFault]]:
    """Yield the faults of kernels that only other contents than those of `plain_run` show, or what
    the project computes on a host; the latter alone where the launcher does not check its shapes.
    """
    redrawn = calls.repeat(found_call, strain=Strain.REDRAWN)
    faults = [*find_host_differences(redrawn)]
    runs = {Strain.REDRAWN: redrawn}
    if found_call.is_checked:
        faults += _list_content_faults(calls, found_call, plain_run, runs)

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


def _drop_doubtful_agreement(
    launches: KernelLaunches, found_call: FoundCall
) -> KernelLaunches:
    """Return `launches`, which agree only where there are several calls and none went wrong."""
    is_certain = found_call.is_clean and found_call.accepted_count >= _MIN_CALLS
    return launches if is_certain else replace(launches, is_consistent=False)
