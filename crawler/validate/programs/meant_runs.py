"""Run a built program as its author meant it to be run, as far as time allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.validate.programs.host_build.program_build import (
    HostProgram,
    rebuild_with_zeros,
)
from crawler.validate.programs.program_arguments import reduce_arguments
from crawler.validate.programs.runs.launch_comparison import TIMEOUT
from crawler.validate.programs.runs.own_check import notices_change
from crawler.validate.programs.runs.program_runs import (
    EACH_KERNEL,
    FORWARD,
    POISON,
    RUN_SECONDS,
    ZERO,
    Change,
    ProgramRun,
    run_host_program,
)
from crawler.validate.recordings.recorded_launch import RecordedLaunch

_PATIENCE: Final = 3
"""How many times longer than a plain run one with changed results may take."""
_DIVISORS: Final = (1, 16, 256)
"""By how much the numbers among a program's arguments are divided until it ends in time."""
# `cudaErrorMemoryAllocation`
_OUT_OF_MEMORY: Final = 2
_OF_SIZE: Final = ("out-of-memory", "no-launch")
"""Obstacles that smaller arguments may remove: grids, too, may be too large for any device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltProgram:
    """A program, and where it is run."""

    root: Path
    directory: str
    program: HostProgram

    def run(
        self,
        arguments: tuple[str, ...],
        order: int = FORWARD,
        *,
        fill: int = POISON,
        records: bool = False,
    ) -> ProgramRun:
        """Run it once."""
        return run_host_program(
            self.program,
            root=self.root,
            directory=self.directory,
            arguments=arguments,
            order=order,
            fill=fill,
            records=records,
        )

    def checks_kernel(
        self, kernel: int, arguments: tuple[str, ...], run: ProgramRun
    ) -> bool:
        """Tell whether the program, whose plain run is `run`, looks at what a kernel writes."""
        return all(
            notices_change(
                run,
                run_host_program(
                    self.program,
                    root=self.root,
                    directory=self.directory,
                    arguments=arguments,
                    change=(change, kernel),
                    # one whose kernel does nothing may wait for it without end
                    seconds=min(RUN_SECONDS, 1 + int(_PATIENCE * run.seconds)),
                ),
            )
            for change in Change
        )

    def run_without_results(self, arguments: tuple[str, ...]) -> ProgramRun:
        """Return the run in which no kernel does anything, and memory holds zeros."""
        return run_host_program(
            self.program,
            root=self.root,
            directory=self.directory,
            arguments=arguments,
            fill=ZERO,
            change=(Change.SKIP, EACH_KERNEL),
        )

    def run_zeroed(self, arguments: tuple[str, ...]) -> ProgramRun | None:
        """Return the run in which whatever nobody wrote holds zeros; `None` where the program
        does not compile so.
        """
        program = rebuild_with_zeros(self.root, self.program)
        if program.code:
            return None

        return run_host_program(
            program,
            root=self.root,
            directory=self.directory,
            arguments=arguments,
            fill=ZERO,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantRun:
    """A run of a program with arguments that its project names."""

    run: ProgramRun
    arguments: tuple[str, ...]
    """What it was given."""
    meant_arguments: tuple[str, ...]
    """What its project would give it: larger numbers, where these take too long."""


def run_meant(
    built: BuiltProgram, argument_sets: Sequence[tuple[str, ...]]
) -> MeantRun:
    """Return a run with the first of `argument_sets` with which launches are seen, else with the
    first of all; with smaller numbers where it takes too long.
    """
    tries: list[MeantRun] = []
    for meant_arguments in argument_sets:
        arguments, run = _run_in_time(built, meant_arguments)
        tries.append(
            MeantRun(run=run, arguments=arguments, meant_arguments=meant_arguments)
        )
        if not find_obstacle(run):
            return tries[-1]

    return tries[0]


def _run_in_time(
    built: BuiltProgram, arguments: tuple[str, ...]
) -> tuple[tuple[str, ...], ProgramRun]:
    """Return a run that launches something in its time, with smaller arguments where it has to
    be, else the last one that was tried.
    """
    tried: dict[tuple[str, ...], ProgramRun] = {}

    for divisor in _DIVISORS:
        reduced = reduce_arguments(arguments, divisor)
        if reduced in tried:
            continue

        run = tried[reduced] = built.run(reduced, records=True)
        is_any_finished = any(launch.is_finished for launch in run.log.launches)
        is_too_large = _is_timed_out(run) and not is_any_finished
        if not is_too_large and find_obstacle(run) not in _OF_SIZE:
            break

    return list(tried.items())[-1]


def record_launches(
    built: BuiltProgram, arguments: tuple[str, ...], run: ProgramRun
) -> tuple[RecordedLaunch, ...]:
    """Return the launches that `run` recorded; where all are too large to be, those of a run with
    smaller arguments.
    """
    tried = {arguments}
    for divisor in _DIVISORS:
        if run.recordings:
            break
        reduced = reduce_arguments(arguments, divisor)
        if reduced not in tried:
            tried.add(reduced)
            run = built.run(reduced, records=True)

    return run.recordings


def _is_timed_out(run: ProgramRun) -> bool:
    launches = run.log.launches
    is_within = bool(launches) and launches[-1].find_finding(TIMEOUT) is not None
    return run.timed_out or run.log.is_out_of_time or is_within


def find_obstacle(run: ProgramRun) -> str:
    """Return why a run tells nothing of its kernels; empty where it does."""
    if run.log.refused_calls:
        return "unsupported-call"
    # whatever it computes from then is not what its author meant
    if run.log.missing_files:
        return "missing-data"
    if _OUT_OF_MEMORY in run.log.failed_calls:
        return "out-of-memory"
    if not run.log.launches:
        return TIMEOUT if _is_timed_out(run) else "no-launch"

    return ""
