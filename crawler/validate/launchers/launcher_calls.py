"""What the calls of a project's launcher show of the kernels that it launches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.launchers.call_search import (
    FoundCall,
    read_accepted_calls,
    read_found_call,
    wants_other_types,
)
from crawler.validate.launchers.launcher_source import (
    CalledTypes,
    LauncherSource,
    render_launcher_program,
)
from crawler.validate.launchers.repeated_calls import RepeatedCalls
from crawler.validate.launchers.strained_calls import (
    find_strained_faults,
    observe_well_calls,
)
from crawler.validate.launchers.telling_faults import (
    iter_telling_faults,
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
        return _observe_well_calls(calls, found_call, source)

    runs = _repeat_calls(calls, found_call)
    called = dict(read_accepted_calls(runs.poisoned))
    faults = _find_all_faults(calls, found_call, runs, source)
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


def _find_all_faults(
    calls: RepeatedCalls,
    found_call: FoundCall,
    runs: ProgramRuns,
    source: LauncherSource,
) -> dict[InstanceKey, LaunchFault]:
    """Return the faults that `runs` of a call show, else those that variations of it do."""
    faults = find_faults(runs, lambda: calls.repeat(found_call))
    called = dict(read_accepted_calls(runs.poisoned))
    faults = dict(iter_telling_faults(faults, called))
    # what its kernels do with other contents may be its callers' fault where it checks nothing,
    # but not what the function in its place does otherwise
    has_host_path = bool(source.host_path)
    may_strain = found_call.is_measured or has_host_path
    if faults or not (found_call.is_clean and may_strain):
        return faults

    return dict(
        find_strained_faults(
            calls, found_call, runs.poisoned, has_host_path=has_host_path
        )
    )


def _observe_well_calls(
    calls: RepeatedCalls, found_call: FoundCall, source: LauncherSource
) -> ProgramReport:
    """Return what can be told of a launcher that checks little and whose calls go wrong in part."""
    if found_call.is_measured and found_call.clean_count >= _MIN_CALLS:
        runs, faults = observe_well_calls(calls, found_call)
        if faults:
            kernels = summarise_launches(calls.program, runs, faults)
            return ProgramReport(
                kernels=tuple(
                    replace(kernel, is_consistent=False) for kernel in kernels
                ),
                launcher=source.name,
            )

    return ProgramReport(code=NO_CALL, message=_UNTELLING)


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


def _drop_doubtful_agreement(
    launches: KernelLaunches, found_call: FoundCall
) -> KernelLaunches:
    """Return `launches`, which agree only where there are several calls and none went wrong."""
    is_certain = found_call.is_clean and found_call.accepted_count >= _MIN_CALLS
    return launches if is_certain else replace(launches, is_consistent=False)
