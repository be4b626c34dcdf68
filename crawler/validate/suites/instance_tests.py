"""Which tests launch which instantiation of a kernel, and what came of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import CaseOrigin
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.runs.launch_faults import LaunchFault
from crawler.validate.programs.runs.launch_log import InstanceKey, LoggedLaunch
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.recordings.recording_source import RecordingSource
from crawler.validate.suites.suite_records import (
    CRASHED,
    FAILED,
    PASSED,
    TOO_SLOW,
    TestRecord,
)
from crawler.validate.suites.suite_runs import SuiteRun

CHANGE_KINDS: Final = ("skip", "spoil")
"""What is done to a kernel to see whether a test looks at its results."""
MAX_NAMED_TESTS: Final = 8
_MAX_MESSAGE_LENGTH: Final = 500
_SLOW_SECONDS: Final = 30.0
"""Of the processor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTest:
    """A test that did not pass."""

    name: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceTests:
    """What a suite showed of a kernel, or of one instantiation of a template."""

    place: KernelPlace
    arguments: str
    """Of its template, as clang writes them: `[T = float]`; empty for no template."""
    launches: int
    passing: int
    """Tests that launch it and pass, in forward and in reverse order of threads."""
    failing: tuple[FailedTest, ...] = ()
    """Tests that launch it and do not, at most eight."""
    fault: LaunchFault | None = None
    checking_test: str = ""
    """A test that passes, and fails both where the kernel does nothing and where some of what it
    wrote is changed; empty where none of those that were asked does.
    """
    recordings: tuple[RecordedLaunch, ...] = ()
    """Some of its launches in tests that pass, with all that they were given."""


def choose_repeated_tests(plain: SuiteRun, launching: Sequence[int]) -> tuple[int, ...]:
    """Return those of the tests `launching` kernels that are run in other orders, too.

    A test that takes long is not, where others launch all that it launches.
    """
    instances: dict[int, set[InstanceKey]] = defaultdict(set)
    for launch in plain.log.launches:
        instances[launch.test].add(launch.instance)

    records = {record.number: record for record in plain.records}
    slow_tests: list[int] = []
    repeated_tests: list[int] = []
    for number in launching:
        record = records.get(number)
        is_slow = record is not None and record.seconds > _SLOW_SECONDS
        if record is None or record.outcome != TOO_SLOW:
            (slow_tests if is_slow else repeated_tests).append(number)

    passing = [number for number in repeated_tests if _has_passed(records, number)]
    covered = {key for number in passing for key in instances[number]}
    repeated_tests += [
        number for number in slow_tests if not covered.issuperset(instances[number])
    ]
    return tuple(sorted(repeated_tests))


def _has_passed(records: Mapping[int, TestRecord], number: int) -> bool:
    record = records.get(number)
    return record is not None and record.outcome == PASSED


def list_failures(
    records: Iterable[TestRecord], outcomes: Sequence[str] = (FAILED, CRASHED)
) -> tuple[FailedTest, ...]:
    """Return the tests that did not pass, at most eight."""
    failures = [
        FailedTest(name=record.test, message=record.message[-_MAX_MESSAGE_LENGTH:])
        for record in records
        if record.outcome in outcomes
    ]
    return tuple(failures[:MAX_NAMED_TESTS])


class TestsOfInstances:
    """Which tests launch which instantiation, and what came of them."""

    def __init__(self, plain: SuiteRun, backward: SuiteRun, kernel_count: int) -> None:
        self.launches: dict[InstanceKey, list[LoggedLaunch]] = defaultdict(list)
        self._tests: dict[InstanceKey, set[int]] = defaultdict(set)
        self._instances: dict[int, set[InstanceKey]] = defaultdict(set)
        for launch in plain.log.launches:
            # of what is launched while tests are collected, none speaks
            if not launch.test or not 0 <= launch.kernel < kernel_count:
                continue
            key = launch.instance
            self.launches[key].append(launch)
            self._tests[key].add(launch.test)
            self._instances[launch.test].add(key)

        self._recordings: dict[int, list[RecordedLaunch]] = defaultdict(list)
        for recording in plain.recordings:
            self._recordings[recording.test].append(recording)

        self._records = {record.number: record for record in plain.records}
        self._backward = {record.number: record for record in backward.records}

    def list_passing(self, key: InstanceKey) -> list[TestRecord]:
        """Return the tests that launch an instantiation and pass in both orders, those first that
        launch the fewest others.
        """
        passing = [
            self._records[number]
            for number in self._tests[key]
            if _has_passed(self._records, number)
            and _has_passed(self._backward, number)
        ]
        return sorted(
            passing,
            key=lambda record: (len(self._instances[record.number]), record.number),
        )

    def list_recordings(
        self, key: InstanceKey, find_licence: Callable[[str], str]
    ) -> tuple[RecordedLaunch, ...]:
        """Return launches of an instantiation that were recorded in tests that pass, with the
        licence that `find_licence` gives of each test's file.
        """
        recordings: list[RecordedLaunch] = []
        for record in self.list_passing(key):
            source = RecordingSource(
                origin=CaseOrigin.PROJECT_TEST,
                name=record.test,
                licence=find_licence(record.test.partition("::")[0]),
            )
            recordings += source.mark_launches(
                launch
                for launch in self._recordings.get(record.number, ())
                if (launch.kernel, launch.arguments) == key
            )

        return tuple(recordings)

    def list_failing(self, key: InstanceKey) -> list[TestRecord]:
        """Return the tests that launch an instantiation and do not pass in some order."""
        failing = []
        for number in sorted(self._tests[key]):
            for records in (self._records, self._backward):
                record = records.get(number)
                if record is not None and record.outcome in (FAILED, CRASHED):
                    failing.append(record)
                    break

        return failing


def read_checks(records: Iterable[TestRecord]) -> dict[InstanceKey, str]:
    """Return the first test that fails under every kind of change and passes when it is run plain
    behind them, by the instantiation.
    """
    records = list(records)
    repeatable = {
        record.test
        for record in records
        if record.change is None and record.outcome == PASSED
    }
    noticed: dict[tuple[InstanceKey, str], set[str]] = defaultdict(set)
    for record in records:
        change = record.change
        # a crash, or a loop that never ends, is no check
        if change is not None and record.outcome == FAILED:
            key = (change.kernel, change.arguments)
            noticed[key, record.test].add(change.kind)

    checking: dict[InstanceKey, str] = {}
    for (key, test), kinds in noticed.items():
        if kinds.issuperset(CHANGE_KINDS) and test in repeatable:
            checking.setdefault(key, test)

    return checking


def summarise_instances(
    kernels: Sequence[KernelPlace],
    tests: TestsOfInstances,
    faults: Mapping[InstanceKey, LaunchFault],
    checking: Mapping[InstanceKey, str],
    find_licence: Callable[[str], str] = lambda _: "",
) -> Iterator[InstanceTests]:
    """Yield what tests showed of each instantiation that they launched.

    `kernels` are the project's, by their numbers; `checking` has the test that looks at an
    instantiation's results; `find_licence` gives the licence of a file.
    """
    for key, launches in tests.launches.items():
        kernel, arguments = key
        yield InstanceTests(
            place=kernels[kernel],
            arguments=arguments,
            launches=len(launches),
            passing=len(tests.list_passing(key)),
            failing=list_failures(tests.list_failing(key)),
            fault=faults.get(key),
            checking_test=checking.get(key, ""),
            recordings=tests.list_recordings(key, find_licence),
        )
