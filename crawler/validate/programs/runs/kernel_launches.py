"""What runs of a program showed of each kernel that it launches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.host_build.program_build import HostProgram
from crawler.validate.programs.runs.launch_faults import (
    LaunchFault,
    ProgramRuns,
    list_agreeing_kernels,
)
from crawler.validate.programs.runs.launch_log import InstanceKey, LoggedLaunch
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.recordings.recording_source import RecordingSource

_MAX_CONFIGURATIONS: Final = 16


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
            each
            for each in runs.poisoned.log.launches
            if each.kernel == number and (each.is_finished or number in fault_by_kernel)
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
                each for each in recordings if each.kernel == numbers[kernel.place]
            ),
        )
        for kernel in kernels
    )


def _list_configurations(
    launches: Iterable[LoggedLaunch],
) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    distinct = dict.fromkeys((each.grid, each.block) for each in launches)
    return list(distinct)[:_MAX_CONFIGURATIONS]
