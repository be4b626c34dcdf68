"""What runs of a program showed of each kernel that it launches."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.host_build.program_build import HostProgram
from crawler.validate.programs.runs.launch_comparison import pair_launches
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    ProgramRuns,
    list_agreeing_kernels,
)
from crawler.validate.programs.runs.launch_log import InstanceKey, LoggedLaunch
from crawler.validate.programs.runs.own_check import (
    accepts_results,
    quote_refusal,
    refuses_results,
)
from crawler.validate.programs.runs.printed_difference import quote_far_difference
from crawler.validate.programs.runs.program_runs import ProgramRun
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.recordings.recording_source import RecordingSource

OWN_CHECK: Final = "own-check"
"""Code of a kernel whose results its project's own program refuses."""
_MAX_CONFIGURATIONS: Final = 16
_MAX_BLAMED: Final = 3
"""Kernels of a program that are blamed together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLaunches:
    """What a program showed of one of its kernels."""

    place: KernelPlace
    launches: int
    configurations: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...]
    """(grid, block) of its launches, each once, at most 16."""
    fault: LaunchFault | None = None
    is_consistent: bool = False
    """Whether they write the same in every order of threads, whatever unwritten memory holds."""
    is_checked: bool = False
    """Whether the program accepts its results, and refuses them where the kernel does nothing and
    where some of what it wrote is changed.
    """
    may_vary: bool = False
    """Whether a program that checks its results accepts others of another order of threads, too."""
    recordings: tuple[RecordedLaunch, ...] = ()
    """Some of its launches with all that they were given, chosen for difference."""


def summarise_launches(
    program: HostProgram, runs: ProgramRuns, faults: Mapping[InstanceKey, LaunchFault]
) -> Iterator[KernelLaunches]:
    """Yield what `runs` showed of each kernel that was launched, with its gravest fault."""
    fault_by_kernel: dict[int, LaunchFault] = {}
    for (number, _), fault in faults.items():
        fault_by_kernel.setdefault(number, fault)

    agreeing = list_agreeing_kernels(runs)
    for number, place in enumerate(program.kernels):
        launches = [
            launch
            for launch in runs.poisoned.log.launches
            if launch.kernel == number
            and (launch.is_finished or number in fault_by_kernel)
        ]
        if not launches:
            continue

        yield KernelLaunches(
            place=place,
            launches=len(launches),
            configurations=tuple(_list_configurations(launches)),
            fault=fault_by_kernel.get(number),
            is_consistent=number in agreeing and number not in fault_by_kernel,
        )


def blame_refused(
    kernels: Sequence[KernelLaunches], runs: ProgramRuns, refusals: Collection[str]
) -> tuple[KernelLaunches, ...]:
    """Return `kernels`, at fault where their program refuses its results, in words alone by one of
    its `refusals`.

    In each run it must, and nothing else may have gone wrong: a call of the runtime that failed is
    a reason of its own. Of a few kernels it is not said which one is wrong: what none of them
    can be trusted for is a fault of each. Of many it would say too little.
    """
    all_runs = (runs.poisoned, runs.reversed, *runs.with_other_fills)
    are_refused = all(
        refuses_results(run, refusals) and not run.log.failed_calls for run in all_runs
    )
    are_faultless = all(kernel.fault is None for kernel in kernels)
    if not (are_refused and are_faultless and 0 < len(kernels) <= _MAX_BLAMED):
        return tuple(kernels)

    whose = "its results" if len(kernels) == 1 else f"what {len(kernels)} kernels make"
    message = f"the program refuses {whose}: {quote_refusal(runs.poisoned)}"
    fault = LaunchFault(code=OWN_CHECK, message=message)
    return tuple(
        replace(kernel, fault=fault, is_consistent=False) for kernel in kernels
    )


def blame_far(
    kernels: Sequence[KernelLaunches],
    runs: ProgramRuns,
    run_without_results: Callable[[], ProgramRun],
) -> tuple[KernelLaunches, ...]:
    """Return `kernels`, at fault where their program prints that what they leave is far from what
    its host computes: see `printed_difference.py`.
    """
    all_runs = (runs.poisoned, runs.reversed, *runs.with_other_fills)
    are_faultless = all(kernel.fault is None for kernel in kernels)
    if not (are_faultless and 0 < len(kernels) <= _MAX_BLAMED):
        return tuple(kernels)

    quote = quote_far_difference(all_runs, run_without_results)
    if not quote or any(run.log.failed_calls for run in all_runs):
        return tuple(kernels)

    fault = LaunchFault(code=OWN_CHECK, message=f"the program prints: {quote}")
    return tuple(
        replace(kernel, fault=fault, is_consistent=False) for kernel in kernels
    )


def mark_varying(
    kernels: Iterable[KernelLaunches], program: HostProgram, runs: ProgramRuns
) -> Iterator[KernelLaunches]:
    """Yield `kernels`, marked where the order of threads decides what they write, and their
    program, which looks at it, accepts it in both orders.
    """
    varying = {
        launch.kernel
        for launch, same in pair_launches(runs.poisoned, runs.reversed)
        if launch.is_finished and same.is_finished and launch.written != same.written
    }
    numbers = {place: number for number, place in enumerate(program.kernels)}
    are_accepted = accepts_results(runs.poisoned) and accepts_results(runs.reversed)
    for kernel in kernels:
        may_vary = kernel.is_checked and numbers[kernel.place] in varying
        yield replace(kernel, may_vary=may_vary and are_accepted)


def add_recordings(
    kernels: Sequence[KernelLaunches],
    program: HostProgram,
    recordings: Sequence[RecordedLaunch],
    source: RecordingSource,
) -> tuple[KernelLaunches, ...]:
    """Return `kernels`, each with those of the recorded launches that are its own."""
    numbers = {place: number for number, place in enumerate(program.kernels)}
    return tuple(
        replace(
            kernel,
            recordings=source.mark_launches(
                recording
                for recording in recordings
                if recording.kernel == numbers[kernel.place]
            ),
        )
        for kernel in kernels
    )


def _list_configurations(
    launches: Iterable[LoggedLaunch],
) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    distinct = dict.fromkeys((launch.grid, launch.block) for launch in launches)
    return list(distinct)[:_MAX_CONFIGURATIONS]
