"""Run a project's tests in the sandbox, with its kernels on the CPU model."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from crawler import sandbox
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import open_work_folder
from crawler.validate.programs.runs.launch_log import LaunchLog, parse_launch_log
from crawler.validate.programs.runs.program_runs import FORWARD, POISON
from crawler.validate.recordings.record_file import read_record_file
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.suites.suite_records import (
    CRASHED,
    PAUSED,
    TOO_SLOW,
    KernelChange,
    TestRecord,
    read_records,
    resume_behind,
)

CHECKOUT_MOUNT: Final = "/checkout"
"""Where a suite sees its project."""
_RESULTS: Final = "/results"
_LOG: Final = "log"
_RECORDS: Final = "records"
_LAUNCHES: Final = "launches"
_PLAN: Final = "plan.json"
_MAX_LOG_BYTES: Final = 128 << 20
_TOO_SLOW_CODES: Final = frozenset(
    # the sandbox adds 128 to the number of the signal that ended a process, as a shell does
    {128 + signal.SIGALRM, 128 + signal.SIGPROF, -signal.SIGALRM, -signal.SIGPROF}
)
_MAX_RESUMPTIONS: Final = 40
"""Of a run whose process dies in the midst of a test."""
_MAX_RECORDED_BYTES: Final = 64 << 20
"""After which no further process's launches are kept."""
_MAX_OUTPUT_BYTES: Final = 64 << 10
_MAX_RECORD_LINES: Final = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One run of a suite, process after process until every test has had its turn."""

    records: tuple[TestRecord, ...]
    log: LaunchLog
    output: str
    """The end of what was printed last."""
    seconds: float
    """By the clock."""
    collected: int = 0
    """Tests that there are, whether or not they were run; 0 where nobody said."""
    recordings: tuple[RecordedLaunch, ...] = ()
    """Launches with all that they were given, where it was asked for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """Which tests are run, and how."""

    tests: tuple[int, ...] | None = None
    """By their numbers; `None` for all."""
    changes: Mapping[int, tuple[KernelChange, ...]] = field(default_factory=dict)
    """By the test's number. A test with changes is run once for each, then plain: one that fails
    whenever it is run again says nothing of a change.
    """
    order: int = FORWARD
    fill: int = POISON
    seconds: int = 600
    """Of the processor, for each process: behind half of them it leaves the rest to the next."""
    test_seconds: int = 300
    """Of the processor, for each test; three times as many by the clock."""
    all_seconds: int = 1800
    """By the clock, for all processes together: what has not begun then is not run."""
    records: bool = False
    """Whether some of the launches are recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteProject:
    """A project that is ready to be tested: a command that runs its tests as a plan says.

    It finds the plan, and writes records, the launch log and recorded launches, where
    `KERNELSET_PLAN`, `KERNELSET_RECORDS`, `KERNELSET_LOG` and `KERNELSET_RECORD` name files.
    """

    folder: Path
    """The checkout, or a copy of it."""
    command: tuple[str, ...]
    directory: str = CHECKOUT_MOUNT
    """Where the command begins."""
    mounts: tuple[Mount, ...]
    variables: Mapping[str, str]
    scratch_bytes: int = 2 * _MAX_LOG_BYTES
    """What may be written to each folder."""


def run_suite(project: SuiteProject, plan: SuitePlan) -> SuiteRun:
    """Run the tests of a project as `plan` says.

    A test in which the process dies is `crashed`, and the run goes on behind it. Raises
    `MissingTool` where the sandbox does not work.
    """
    records: list[TestRecord] = []
    logs: list[str] = []
    output = ""
    start = time.monotonic()
    remaining = plan.changes
    first = log_length = recorded_size = collected = crashes = 0
    recordings: list[RecordedLaunch] = []

    while crashes < _MAX_RESUMPTIONS:
        lines, log, output, launches, code = _run_once(project, plan, remaining, first)
        if recorded_size < _MAX_RECORDED_BYTES:
            recordings += launches
            recorded_size += sum(launch.kept_bytes for launch in launches)
        # whoever dies again and again may leave as much each time
        log_length += len(log)
        if log_length <= _MAX_LOG_BYTES:
            # what a later process launches is of no test until one begins
            logs.append(f"{log}\ntest 0\n")
        process_records = read_records(lines)
        records += process_records.finished
        collected = max(collected, process_records.collected)
        unfinished = process_records.unfinished
        is_spent = time.monotonic() - start > plan.all_seconds
        if unfinished is None or is_spent or len(records) > _MAX_RECORD_LINES:
            break

        # whoever writes such a record himself must not begin where he has been
        if unfinished.outcome == PAUSED and unfinished.number > first:
            first = unfinished.number
            continue

        crashes += 1
        records.append(_end_record(unfinished, plan, code))
        first, remaining = resume_behind(unfinished, remaining)

    return SuiteRun(
        records=tuple(records),
        log=parse_launch_log("".join(logs)),
        output=output,
        seconds=time.monotonic() - start,
        collected=collected,
        recordings=tuple(recordings),
    )


def _run_once(
    project: SuiteProject,
    plan: SuitePlan,
    changes: Mapping[int, tuple[KernelChange, ...]],
    first: int,
) -> tuple[list[str], str, str, list[RecordedLaunch], int]:
    """Return the lines of records, the launch log, the output, the recorded launches and the exit
    code of one process.
    """
    with _open_results(plan, changes, first) as results:
        completed = sandbox.run(
            project.command,
            mounts=(*project.mounts, _mount_results(results)),
            cwd=project.directory,
            env=_make_variables(project, plan),
            limits=_limit_run(project, plan),
            keep=_MAX_OUTPUT_BYTES,
        )
        records = _read_result(results / _RECORDS).splitlines()[:_MAX_RECORD_LINES]
        log = _read_result(results / _LOG)
        launches = list(read_record_file(results / _LAUNCHES)) if plan.records else []

    output = completed.output.decode("utf-8", "replace")
    return records, log, output, launches, completed.exit_code


def _end_record(unfinished: TestRecord, plan: SuitePlan, code: int) -> TestRecord:
    """Return what came of a test with which its process ended."""
    if code not in _TOO_SLOW_CODES:
        return msgspec.structs.replace(unfinished, outcome=CRASHED)

    message = f"it takes over {plan.test_seconds} s of the processor"
    return msgspec.structs.replace(unfinished, outcome=TOO_SLOW, message=message)


def _mount_results(results: Path) -> Mount:
    return Mount(
        source=results,
        target=_RESULTS,
        writable=True,
        copy_back=(_LOG, _RECORDS, _LAUNCHES),
    )


def _make_variables(project: SuiteProject, plan: SuitePlan) -> dict[str, str]:
    recording = {"KERNELSET_RECORD": f"{_RESULTS}/{_LAUNCHES}"} if plan.records else {}
    return {
        **project.variables,
        **recording,
        "KERNELSET_PLAN": f"{_RESULTS}/{_PLAN}",
        "KERNELSET_RECORDS": f"{_RESULTS}/{_RECORDS}",
        "KERNELSET_LOG": f"{_RESULTS}/{_LOG}",
        "KERNELSET_ORDER": str(plan.order),
        "KERNELSET_FILL": str(plan.fill),
    }


def _limit_run(project: SuiteProject, plan: SuitePlan) -> Limits:
    return Limits(
        # by the clock longer, since others may need the processor, too
        seconds=min(3 * plan.seconds, plan.all_seconds),
        cpu_seconds=plan.seconds,
        resident_bytes=8 << 30,
        file_bytes=_MAX_LOG_BYTES,
        scratch_bytes=project.scratch_bytes,
        processes=256,
    )


@contextmanager
def _open_results(
    plan: SuitePlan, changes: Mapping[int, tuple[KernelChange, ...]], first: int
) -> Iterator[Path]:
    """Make a folder with the plan, for what a run leaves, and remove it in the end."""
    with open_work_folder("suite") as folder:
        content = {
            "tests": plan.tests,
            "changes": changes,
            "first": first,
            "test_seconds": plan.test_seconds,
            "pause_seconds": plan.seconds / 2,
        }
        (folder / _PLAN).write_bytes(msgspec.json.encode(content))
        yield folder


def _read_result(file: Path) -> str:
    # a test may have put a link in its place
    if not file.is_file() or file.is_symlink():
        return ""
    return file.read_text("utf-8", "replace")
