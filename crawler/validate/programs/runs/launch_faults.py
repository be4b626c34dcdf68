"""Faults of kernels, read off several runs of the program that launches them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.validate.programs.runs.launch_comparison import (
    find_first_difference,
    is_repeatable,
    pair_launches,
)
from crawler.validate.programs.runs.launch_log import (
    InstanceKey,
    LaunchFinding,
    LoggedLaunch,
)
from crawler.validate.programs.runs.program_runs import ProgramRun

FAULT_KINDS: Final = (
    "out-of-bounds",
    "divergent-barrier",
    "divergent-warp",
    "excluded-caller",
    "deadlock",
    "race",
    "divide-by-zero",
    "array-bounds",
    "misaligned",
    "integer-overflow",
    "shift",
    "assertion",
    "trap",
)
"""Findings that a launch has wherever they are seen, the gravest first.

An address in no memory at all is none: a device's shared memory has addresses of 32 bits, and an
index that wraps there lands far away here. Nor is a value from a lane that takes no part, as long
as nothing depends on it.
"""
_ARITHMETIC_KINDS: Final = ("integer-overflow", "shift")
_SHARED_MEMORY: Final = -2
_UNINITIALISED_READ: Final = "uninitialised-read"
_INACTIVE_LANE: Final = "inactive-lane"
_UNORDERED_READ: Final = "unordered-read"
_OVERWRITE_MESSAGE: Final = (
    "several threads write one place, and which is the last decides what it holds"
)
_UNORDERED_MESSAGE: Final = (
    "a thread reads what atomics of another warp change next, with nothing between"
)
_UNWRITTEN_MESSAGE: Final = "its results depend on memory that nobody has written"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFault:
    """A fault of a kernel in its author's own launch."""

    code: str
    message: str
    test: int = 0
    """The number of the test whose launch it is; 0 outside of any."""
    is_shared: bool = False
    """Whether it was seen in shared memory."""
    lies_in_front: bool = False
    """Whether it was seen in front of an allocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRuns:
    """Runs of one program with the same arguments."""

    poisoned: ProgramRun
    """Whatever nobody wrote holds a pattern."""
    zeroed: ProgramRun | None
    """Whatever nobody wrote holds zeros; `None` where that does not compile."""
    reversed: ProgramRun
    """As poisoned, with threads and blocks in reverse order."""
    refilled: ProgramRun | None = None
    """As poisoned, but memory that nobody wrote holds large numbers."""

    @property
    def with_other_fills(self) -> tuple[ProgramRun, ...]:
        """Return the runs that differ from the poisoned one in what unwritten memory holds."""
        return tuple(run for run in (self.zeroed, self.refilled) if run is not None)


def find_faults(
    runs: ProgramRuns, run_again: Callable[[], ProgramRun]
) -> dict[InstanceKey, LaunchFault]:
    """Return the faults of kernels, for each instantiation the gravest.

    `run_again` repeats the poisoned run: a program whose runs differ by themselves, since it
    asks for the time perhaps, is not blamed for a difference.
    """
    run = runs.poisoned
    faults = dict(find_certain_faults(runs.reversed))
    faults |= dict(find_certain_faults(run))
    if runs.zeroed is not None:
        faults = _drop_arithmetic_on_rubbish(faults, runs.zeroed)
    if not _find_doubtful_faults(runs, run.output):
        return faults

    again = run_again()
    if not is_repeatable(run, again):
        return faults

    for instance, fault in _find_doubtful_faults(runs, again.output).items():
        # a fault that only rubbish leads to is that rubbish is read
        if instance not in faults or fault.code in (
            _UNINITIALISED_READ,
            _INACTIVE_LANE,
        ):
            faults[instance] = fault

    return faults


def list_agreeing_kernels(runs: ProgramRuns) -> frozenset[int]:
    """Return the kernels each of whose launches writes the same in every order of threads, and
    whatever unwritten memory holds.
    """
    other_runs = [runs.reversed, *runs.with_other_fills]
    launched_kernels = {launch.kernel for launch in runs.poisoned.log.launches}
    differing = {
        launch.kernel
        for other in other_runs
        for launch, same in pair_launches(runs.poisoned, other)
        if launch.written != same.written or not launch.is_finished
    }
    # what another run did not come to was seen in one order only
    compared = [
        {launch.kernel for launch, _ in pair_launches(runs.poisoned, other)}
        for other in other_runs
    ]
    return frozenset(launched_kernels.intersection(*compared) - differing)


def _drop_arithmetic_on_rubbish(
    faults: dict[InstanceKey, LaunchFault], zeroed_run: ProgramRun
) -> dict[InstanceKey, LaunchFault]:
    """Return `faults` without overflows that are there only where memory holds a pattern.

    Whether anything depends on them shows in what is written.
    """
    overflows = {
        (launch.instance, finding.kind)
        for launch in zeroed_run.log.launches
        for finding in launch.findings
        if finding.kind in _ARITHMETIC_KINDS
    }
    return {
        instance: fault
        for instance, fault in faults.items()
        if fault.code not in _ARITHMETIC_KINDS or (instance, fault.code) in overflows
    }


def find_certain_faults(run: ProgramRun) -> Iterator[tuple[InstanceKey, LaunchFault]]:
    """Yield the gravest fault of each instantiation's first faulty launch in one run."""
    seen_instances: set[InstanceKey] = set()

    for launch in run.log.launches:
        if launch.instance in seen_instances:
            continue

        fault = find_certain_fault(launch)
        if fault is not None:
            seen_instances.add(launch.instance)
            yield launch.instance, fault


def find_certain_fault(launch: LoggedLaunch) -> LaunchFault | None:
    """Return the gravest fault of one launch; `None` where nothing goes wrong in it."""
    finding = _choose_finding(launch)
    return None if finding is None else _describe_fault(launch, finding)


def is_faultless(launch: LoggedLaunch) -> bool:
    """Tell whether a launch came to its end, and nothing went wrong in it."""
    return launch.is_finished and _choose_finding(launch) is None


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

    description = finding.kind
    if finding.allocation >= 0:
        description += f" at byte {finding.offset} of an allocation of {finding.size}"
    elif finding.allocation == _SHARED_MEMORY:
        description += f" at byte {finding.offset} of shared memory"

    configuration = f"<<<{launch.grid}, {launch.block}>>>"
    message = f"{description} in launch {launch.number} {configuration}: {where}"

    return LaunchFault(
        code=finding.kind,
        message=message,
        test=launch.test,
        is_shared=finding.allocation == _SHARED_MEMORY,
        lies_in_front=finding.allocation >= 0 and finding.offset < 0,
    )


def _find_doubtful_faults(
    runs: ProgramRuns, repeated_output: str
) -> dict[InstanceKey, LaunchFault]:
    """Return faults that show only in how two runs differ.

    `repeated_output` is what the poisoned run printed when it was repeated.
    """
    faults: dict[InstanceKey, LaunchFault] = {}
    launch = _find_order_dependence(runs.poisoned, runs.reversed)
    if launch is not None:
        faults[launch.instance] = _describe_race(launch)

    dependences: dict[InstanceKey, LaunchFault] = {}
    for other in runs.with_other_fills:
        launch = _find_unwritten_input(runs.poisoned, other, repeated_output)
        if launch is not None:
            dependences.setdefault(launch.instance, _describe_dependence(launch))
    # a race is there whatever memory held
    return dependences | faults


def _describe_race(launch: LoggedLaunch) -> LaunchFault:
    """Return the fault of a launch that does otherwise in another order of threads."""
    is_unordered = launch.find_finding(_UNORDERED_READ) is not None
    reason = _UNORDERED_MESSAGE if is_unordered else _OVERWRITE_MESSAGE
    return LaunchFault(
        code="race",
        message=f"{reason}: launch {launch.number}",
        test=launch.test,
        is_shared=is_unordered,
    )


def _describe_dependence(launch: LoggedLaunch) -> LaunchFault:
    """Return the fault of a launch that does otherwise where what has no value is zero."""
    finding = launch.find_finding(_INACTIVE_LANE)
    if finding is not None:
        return _describe_fault(launch, finding)

    message = f"{_UNWRITTEN_MESSAGE}: launch {launch.number}"
    return LaunchFault(code=_UNINITIALISED_READ, message=message, test=launch.test)


def _find_order_dependence(
    run: ProgramRun, reversed_run: ProgramRun
) -> LoggedLaunch | None:
    """Return the first launch in which the order of threads decides what a place holds that
    several of them write, or that some of them read while others change it.

    What comes after it may only follow from it.
    """
    for launch, other in pair_launches(run, reversed_run):
        if launch.overwritten != other.overwritten:
            return launch
        if launch.written != other.written:
            return _find_unordered_read(launch, other)

    return None


def _find_unordered_read(*orders: LoggedLaunch) -> LoggedLaunch | None:
    """Return the first of a launch's two orders in which a thread reads from shared memory what
    atomics of another warp change next: in the other one it may come last.
    """
    return next((each for each in orders if each.find_finding(_UNORDERED_READ)), None)


def _find_unwritten_input(
    run: ProgramRun, other: ProgramRun, repeated_output: str
) -> LoggedLaunch | None:
    """Return the first launch that does otherwise where memory that nobody wrote holds what it
    does in the `other` run.
    """
    launch = find_first_difference(run, other)
    prints_otherwise = run.output == repeated_output != other.output
    # what is copied to the host is what the last launch was to write
    if launch is None and run.log.copies_unwritten and prints_otherwise:
        launch = run.log.launches[-1]

    # one that goes wrong there, too, has another fault
    if launch is None or launch.instance in dict(find_certain_faults(other)):
        return None

    return launch
