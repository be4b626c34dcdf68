"""What a project's own program shows of the kernels that it launches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.programs.host_build.host_compiler import UNDEFINED_SYMBOL
from crawler.validate.programs.host_build.program_build import (
    HostProgram,
    build_host_program,
    rebuild_with_zeros,
)
from crawler.validate.programs.program_arguments import (
    find_arguments,
    find_run_folder,
    reduce_arguments,
)
from crawler.validate.programs.program_sources import ProgramSources
from crawler.validate.programs.runs.kernel_launches import (
    KernelLaunches,
    add_recordings,
    blame_refused,
    mark_varying,
    summarise_launches,
)
from crawler.validate.programs.runs.launch_comparison import TIMEOUT
from crawler.validate.programs.runs.launch_faults import (
    ProgramRuns,
    find_faults,
)
from crawler.validate.programs.runs.own_check import accepts_results, notices_change
from crawler.validate.programs.runs.program_runs import (
    FORWARD,
    ORDINARY,
    POISON,
    REVERSE,
    RUN_SECONDS,
    ZERO,
    Change,
    ProgramRun,
    run_host_program,
)
from crawler.validate.recordings.data_licence import find_data_licence
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.recordings.recording_source import RecordingSource

_PATIENCE: Final = 3
"""How many times longer than a plain run one with changed results may take."""
_CHECK_SECONDS: Final = 60.0
"""By the clock, in which it is asked which kernels a program looks at: each costs two runs."""
_MAX_OUTPUT_LENGTH: Final = 4096
_DIVISORS: Final = (1, 16, 256)
"""By how much the numbers among a program's arguments are divided until it ends in time."""
# `cudaErrorMemoryAllocation`
_OUT_OF_MEMORY: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReport:
    """What came of a program: its kernels' launches, or why there are none."""

    kernels: tuple[KernelLaunches, ...] = ()
    exit_code: int = 0
    output: str = ""
    launcher: str = ""
    """The function that was called; empty for a program with a `main` of its own."""
    code: str = ""
    """Why there is nothing to tell: `host-compile-error`, `no-launch`, `timeout`, …; else empty."""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _BuiltProgram:
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


def observe_program(root: Path, sources: ProgramSources) -> ProgramReport:
    """Build a program of the checkout `root`, run it in every way that may tell something, and
    report what its kernels did.

    Raises `MissingTool` where the sandbox does not work.
    """
    program = _build_program(root, sources)
    if program.code:
        return ProgramReport(code=program.code, message=program.message)

    directory = find_run_folder(root, sources.main.file)
    built = _BuiltProgram(root=root, directory=directory, program=program)
    meant_arguments = find_arguments(root, directory)
    arguments, run = _run_in_time(built, meant_arguments)
    code = _find_obstacle(run)
    if code:
        return _build_empty_report(run, code)

    runs = ProgramRuns(
        poisoned=run,
        zeroed=built.run_zeroed(arguments),
        reversed=built.run(arguments, REVERSE),
        refilled=built.run(arguments, fill=ORDINARY),
    )
    faults = find_faults(runs, lambda: built.run(arguments))
    kernels = blame_refused(tuple(summarise_launches(program, runs, faults)), runs)
    kernels = add_recordings(
        kernels,
        program,
        _record_launches(built, arguments, run),
        RecordingSource(
            origin=CaseOrigin.PROJECT_PROGRAM,
            name=sources.main.file,
            licence=find_data_licence(root, sources.main.file),
        ),
    )
    if accepts_results(run):
        checked = _mark_checked(built, arguments, run, kernels)
        kernels = tuple(mark_varying(checked, program, runs))
    if arguments != meant_arguments:
        # sizes that its author never asked for may be none that it can do
        kernels = tuple(kernel for kernel in kernels if kernel.fault is None)

    return ProgramReport(
        kernels=kernels,
        exit_code=run.exit_code,
        output=run.output[-_MAX_OUTPUT_LENGTH:],
    )


def _mark_checked(
    built: _BuiltProgram,
    arguments: tuple[str, ...],
    run: ProgramRun,
    kernels: Sequence[KernelLaunches],
) -> Iterator[KernelLaunches]:
    """Yield `kernels`, marked where the program looks at what they write."""
    end = time.monotonic() + _CHECK_SECONDS
    numbers = {place: number for number, place in enumerate(built.program.kernels)}
    for kernel in kernels:
        is_checked = (
            kernel.fault is None
            and time.monotonic() < end
            and built.checks_kernel(numbers[kernel.place], arguments, run)
        )
        yield replace(kernel, is_checked=is_checked)


def _run_in_time(
    built: _BuiltProgram, arguments: tuple[str, ...]
) -> tuple[tuple[str, ...], ProgramRun]:
    """Return a run that launches something in its time: with smaller arguments where it has to
    be, else the last one that was tried.
    """
    tried: dict[tuple[str, ...], ProgramRun] = {}

    for divisor in _DIVISORS:
        reduced = reduce_arguments(arguments, divisor)
        if reduced in tried:
            continue

        run = tried[reduced] = built.run(reduced, records=True)
        if not _is_timed_out(run) or any(
            launch.is_finished for launch in run.log.launches
        ):
            break

    return list(tried.items())[-1]


def _record_launches(
    built: _BuiltProgram, arguments: tuple[str, ...], run: ProgramRun
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


def _build_program(root: Path, sources: ProgramSources) -> HostProgram:
    """Return the program of the main source, with its neighbours where it does not link without."""
    program = build_host_program(root, (sources.main,))
    if program.code == UNDEFINED_SYMBOL and sources.neighbours:
        return build_host_program(root, (sources.main, *sources.neighbours))

    return program


def _find_obstacle(run: ProgramRun) -> str:
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


def _build_empty_report(run: ProgramRun, code: str) -> ProgramReport:
    return ProgramReport(
        code=code,
        message=", ".join(run.log.refused_calls or run.log.missing_files),
        exit_code=run.exit_code,
        output=run.output[-_MAX_OUTPUT_LENGTH:],
    )
