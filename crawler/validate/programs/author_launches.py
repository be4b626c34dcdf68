"""What a project's own program shows of the kernels that it launches."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.programs.host_build.build_failure import (
    UNDEFINED_SYMBOL,
)
from crawler.validate.programs.host_build.program_build import (
    HostProgram,
    build_host_program,
)
from crawler.validate.programs.meant_runs import (
    BuiltProgram,
    find_obstacle,
    record_launches,
    run_meant,
)
from crawler.validate.programs.program_arguments import (
    find_run_folder,
    list_argument_sets,
)
from crawler.validate.programs.program_sources import (
    ProgramSources,
    read_source,
)
from crawler.validate.programs.runs.kernel_launches import (
    KernelLaunches,
    add_recordings,
    blame_far,
    blame_refused,
    mark_varying,
    summarise_launches,
)
from crawler.validate.programs.runs.launch_faults import (
    ProgramRuns,
    find_faults,
)
from crawler.validate.programs.runs.own_check import accepts_results, list_refusals
from crawler.validate.programs.runs.program_runs import (
    ORDINARY,
    REVERSE,
    ProgramRun,
)
from crawler.validate.recordings.data_licence import find_data_licence
from crawler.validate.recordings.recording_source import RecordingSource

_CHECK_SECONDS: Final = 60.0
"""By the clock, in which it is asked which kernels a program looks at: each costs two runs."""
_MAX_OUTPUT_LENGTH: Final = 4096


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


def observe_program(root: Path, sources: ProgramSources) -> ProgramReport:
    """Build a program of the checkout `root`, run it in every way that may tell something, and
    report what its kernels did.

    Raises `MissingTool` where the sandbox does not work.
    """
    program = build_program(root, sources)
    if program.code:
        return ProgramReport(code=program.code, message=program.message)

    directory = find_run_folder(root, sources.main.file)
    built = BuiltProgram(root=root, directory=directory, program=program)
    argument_sets = list_argument_sets(root, directory, sources.main.file)
    meant = run_meant(built, argument_sets)
    arguments, run = meant.arguments, meant.run
    code = find_obstacle(run)
    if code:
        return _build_empty_report(run, code)

    runs = ProgramRuns(
        poisoned=run,
        zeroed=built.run_zeroed(arguments),
        reversed=built.run(arguments, REVERSE),
        refilled=built.run(arguments, fill=ORDINARY),
    )
    faults = find_faults(runs, lambda: built.run(arguments))
    kernels = blame_refused(
        tuple(summarise_launches(program, runs, faults)),
        runs,
        list_refusals(read_source(root, sources.main)),
    )
    kernels = blame_far(kernels, runs, lambda: built.run_without_results(arguments))
    kernels = add_recordings(
        kernels,
        program,
        record_launches(built, arguments, run),
        RecordingSource(
            origin=CaseOrigin.PROJECT_PROGRAM,
            name=sources.main.file,
            licence=find_data_licence(root, sources.main.file),
        ),
    )
    if accepts_results(run):
        checked = _mark_checked(built, arguments, run, kernels)
        kernels = tuple(mark_varying(checked, program, runs))
    if arguments != meant.meant_arguments:
        # sizes that its author never asked for may be none that it can do
        kernels = tuple(kernel for kernel in kernels if kernel.fault is None)

    return ProgramReport(
        kernels=kernels,
        exit_code=run.exit_code,
        output=run.output[-_MAX_OUTPUT_LENGTH:],
    )


def _mark_checked(
    built: BuiltProgram,
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


def build_program(root: Path, sources: ProgramSources) -> HostProgram:
    """Return the program of the main source, with its neighbours where it does not link without."""
    program = build_host_program(root, (sources.main,))
    if program.code == UNDEFINED_SYMBOL and sources.neighbours:
        return build_host_program(root, (sources.main, *sources.neighbours))

    return program


def _build_empty_report(run: ProgramRun, code: str) -> ProgramReport:
    return ProgramReport(
        code=code,
        message=", ".join(run.log.refused_calls or run.log.missing_files),
        exit_code=run.exit_code,
        output=run.output[-_MAX_OUTPUT_LENGTH:],
    )
