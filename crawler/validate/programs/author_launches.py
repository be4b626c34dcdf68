"""What a project's own program shows of the kernels that it launches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.model import CompileCommand
from crawler.validate.programs.host_source import KernelPlace
from crawler.validate.programs.launch_log import LaunchFinding, LoggedLaunch
from crawler.validate.programs.program_build import (
    UNDEFINED_SYMBOL,
    HostProgram,
    build_host_program,
)
from crawler.validate.programs.program_runs import (
    REVERSE,
    ZERO,
    ProgramRun,
    run_host_program,
)
from crawler.validate.programs.program_sources import ProgramSources

FAULT_KINDS: Final = (
    "out-of-bounds",
    "divergent-barrier",
    "divergent-warp",
    "excluded-caller",
    "inactive-lane",
    "deadlock",
    "race",
    "divide-by-zero",
    "array-bounds",
    "misaligned",
    "integer-overflow",
    "shift",
    "assertion",
    "trap",
    "fault",
)
"""Findings that a launch has wherever they are seen, the gravest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFault:
    """A fault of a kernel in its author's own launch."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLaunches:
    """What a program showed of one of its kernels."""

    place: KernelPlace
    launches: int
    configurations: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...]
    """(grid, block) of its launches, each once, at most 16."""
    fault: LaunchFault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReport:
    """What came of a program: its kernels' launches, or why there are none."""

    kernels: tuple[KernelLaunches, ...] = ()
    exit_code: int = 0
    output: str = ""
    code: str = ""
    """Why there is nothing to tell: `host-compile-error`, `no-launch`, `timeout`, …; else empty."""
    message: str = ""


_MAX_CONFIGURATIONS: Final = 16
_TIMEOUT: Final = "timeout"
# `cudaErrorMemoryAllocation`
_OUT_OF_MEMORY: Final = 2
_OVERWRITE_MESSAGE: Final = (
    "several threads write one place, and which is the last decides what it holds"
)
_UNWRITTEN_MESSAGE: Final = "its results depend on memory that nobody has written"


def observe_program(root: Path, sources: ProgramSources) -> ProgramReport:
    """Build a program of the checkout `root`, run it in every way that may tell something, and
    report what its kernels did.

    Raises `MissingTool` where the sandbox does not work.
    """
    commands, program = _build_program(root, sources)
    if program.code:
        return ProgramReport(code=program.code, message=program.message)

    directory = str(Path(sources.main.file).parent)
    run = run_host_program(program, root=root, directory=directory)
    code = _find_obstacle(run)
    if code and code != _TIMEOUT:
        return _build_empty_report(run, code)

    zeroed_run = _run_zeroed(root, commands, directory)
    if code and zeroed_run is not None and not _find_obstacle(zeroed_run):
        # what ends only where memory is clean does not end for want of clean memory
        faults: dict[int, LaunchFault] = {}
        _blame_unwritten(faults, run, zeroed_run)
    elif code:
        return _build_empty_report(run, code)
    else:
        reversed_run = run_host_program(
            program, root=root, directory=directory, order=REVERSE
        )
        faults = dict(_find_certain_faults(reversed_run))
        faults |= dict(_find_certain_faults(run))
        _blame_overwriting(faults, run, reversed_run)
        if zeroed_run is not None:
            _blame_unwritten(faults, run, zeroed_run)

    return ProgramReport(
        kernels=tuple(_summarise(program, run, faults)),
        exit_code=run.exit_code,
        output=run.output,
    )


def _build_empty_report(run: ProgramRun, code: str) -> ProgramReport:
    return ProgramReport(
        code=code,
        message=", ".join(run.log.refused_calls),
        exit_code=run.exit_code,
        output=run.output,
    )


def _run_zeroed(
    root: Path, commands: Sequence[CompileCommand], directory: str
) -> ProgramRun | None:
    """Return the run of a program in which whatever nobody wrote holds zeros; `None` where it
    does not compile.
    """
    program = build_host_program(root, commands, zero_locals=True)
    if program.code:
        return None

    return run_host_program(program, root=root, directory=directory, fill=ZERO)


def _build_program(
    root: Path, sources: ProgramSources
) -> tuple[tuple[CompileCommand, ...], HostProgram]:
    """Return the commands of the sources that make a program together, and that program."""
    commands: tuple[CompileCommand, ...] = (sources.main,)
    program = build_host_program(root, commands)
    if program.code == UNDEFINED_SYMBOL and sources.neighbours:
        commands = (sources.main, *sources.neighbours)
        program = build_host_program(root, commands)

    return commands, program


def _find_obstacle(run: ProgramRun) -> str:
    """Return why a run tells nothing of its kernels; empty where it does."""
    if run.log.refused_calls:
        return "unsupported-call"
    if _OUT_OF_MEMORY in run.log.failed_calls:
        return "out-of-memory"
    if not run.log.launches:
        return _TIMEOUT if run.timed_out else "no-launch"

    return _TIMEOUT if run.log.launches[-1].find_finding(_TIMEOUT) else ""


def _find_certain_faults(run: ProgramRun) -> Iterator[tuple[int, LaunchFault]]:
    """Yield (kernel, fault) of the gravest fault of each kernel's first faulty launch."""
    seen: set[int] = set()

    for launch in run.log.launches:
        if launch.kernel in seen:
            continue

        finding = _choose_finding(launch)
        if finding is not None:
            seen.add(launch.kernel)
            yield launch.kernel, _describe_fault(launch, finding)


def _choose_finding(launch: LoggedLaunch) -> LaunchFinding | None:
    for kind in FAULT_KINDS:
        finding = launch.find_finding(kind)
        if finding is not None:
            return finding

    return None


def _describe_fault(launch: LoggedLaunch, finding: LaunchFinding) -> LaunchFault:
    where = f"block {finding.block}, thread {finding.thread}"
    if finding.line:
        where += f", line {finding.line}"

    what = finding.kind
    if finding.allocation >= 0:
        what += f" at byte {finding.offset} of an allocation of {finding.size}"
    elif finding.allocation == -2:
        what += f" at byte {finding.offset} of shared memory"

    configuration = f"<<<{launch.grid}, {launch.block}>>>"
    message = f"{what} in launch {launch.number} {configuration}: {where}"

    return LaunchFault(code=finding.kind, message=message)


def _blame_overwriting(
    faults: dict[int, LaunchFault], run: ProgramRun, reversed_run: ProgramRun
) -> None:
    """Blame the kernel of the first launch in which the order of threads decides what a place
    holds that several of them write.

    What comes after it may only follow from it.
    """
    for launch, other in _pair_launches(run, reversed_run):
        if launch.overwritten != other.overwritten:
            message = f"{_OVERWRITE_MESSAGE}: launch {launch.number}"
            fault = LaunchFault(code="race", message=message)
            faults.setdefault(launch.kernel, fault)
            return

        if launch.written != other.written:
            return


def _blame_unwritten(
    faults: dict[int, LaunchFault], run: ProgramRun, zeroed_run: ProgramRun
) -> None:
    """Blame the kernel of the first launch that does otherwise where memory that nobody wrote
    holds zeros.
    """
    launch = _find_first_difference(run, zeroed_run)
    # what is copied to the host is what the last launch was to write
    if launch is None and run.log.copies_unwritten and run.output != zeroed_run.output:
        launch = run.log.launches[-1]

    if launch is None or launch.kernel in dict(_find_certain_faults(zeroed_run)):
        return

    # a fault that only rubbish leads to is that rubbish is read
    message = f"{_UNWRITTEN_MESSAGE}: launch {launch.number}"
    faults[launch.kernel] = LaunchFault(code="uninitialised-read", message=message)


def _find_first_difference(run: ProgramRun, other: ProgramRun) -> LoggedLaunch | None:
    """Return the first launch of `run` that wrote something else, or came to another end."""
    for launch, same in _pair_launches(run, other):
        if launch.is_finished != same.is_finished or launch.written != same.written:
            return launch

    return None


def _pair_launches(
    run: ProgramRun, other: ProgramRun
) -> Iterator[tuple[LoggedLaunch, LoggedLaunch]]:
    """Yield the launches of two runs side by side, as long as they are of the same kernel."""
    for launch, same in zip(run.log.launches, other.log.launches, strict=False):
        if launch.kernel != same.kernel:
            return
        yield launch, same


def _summarise(
    program: HostProgram, run: ProgramRun, faults: dict[int, LaunchFault]
) -> Iterator[KernelLaunches]:
    for number, place in enumerate(program.kernels):
        launches = [each for each in run.log.launches if each.kernel == number]
        if not launches:
            continue

        yield KernelLaunches(
            place=place,
            launches=len(launches),
            configurations=tuple(_list_configurations(launches)),
            fault=faults.get(number),
        )


def _list_configurations(
    launches: Iterable[LoggedLaunch],
) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    distinct = dict.fromkeys((each.grid, each.block) for each in launches)
    return list(distinct)[:_MAX_CONFIGURATIONS]
