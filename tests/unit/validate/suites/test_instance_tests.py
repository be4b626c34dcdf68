"""Which tests look at a kernel's results."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import CaseOrigin
from crawler.validate.programs.runs.launch_log import parse_launch_log
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.suites import instance_tests
from crawler.validate.suites.instance_tests import read_checks
from crawler.validate.suites.suite_records import KernelChange, TestRecord
from crawler.validate.suites.suite_runs import SuiteRun


def record(kind: str, outcome: str, test: str = "a") -> TestRecord:
    """Return what came of a test with a kernel changed."""
    change = KernelChange(kind, 3, "[T = int]")
    return TestRecord(number=1, test=test, outcome=outcome, change=change)


PLAIN = TestRecord(number=1, test="a", outcome="passed")


def test_a_test_that_fails_under_both_changes_looks_at_results() -> None:
    records = [record("skip", "failed"), record("spoil", "failed"), PLAIN]

    assert read_checks(records) == {(3, "[T = int]"): "a"}


def test_one_that_notices_only_one_of_them_does_not() -> None:
    records = [record("skip", "failed"), record("spoil", "passed"), PLAIN]

    assert read_checks(records) == {}


def test_a_crash_is_no_check() -> None:
    records = [record("skip", "failed"), record("spoil", "crashed"), PLAIN]

    assert read_checks(records) == {}


def test_one_that_fails_whenever_it_is_run_again_is_no_check() -> None:
    again = TestRecord(number=1, test="a", outcome="failed")
    records = [record("skip", "failed"), record("spoil", "failed"), again]

    assert read_checks(records) == {}


def test_what_different_tests_notice_is_no_check() -> None:
    other_record = TestRecord(number=2, test="b", outcome="passed")
    records = [record("skip", "failed", "a"), record("spoil", "failed", "b")]
    records += [PLAIN, other_record]

    assert read_checks(records) == {}


def run_tests(*outcomes: str, launches: tuple[tuple[int, int], ...]) -> SuiteRun:
    """Return a run of tests with these outcomes; `launches` are pairs of a test and a kernel."""
    lines = [
        f"test {test}\nlaunch {number} {kernel} 1 1 1 32 1 1 0 0\nend {number} 1 9\n"
        for number, (test, kernel) in enumerate(launches, start=1)
    ]
    records = tuple(
        TestRecord(number=number, test=f"test{number}", outcome=outcome)
        for number, outcome in enumerate(outcomes, start=1)
    )
    log = parse_launch_log("".join(lines))
    return SuiteRun(records=records, log=log, output="", seconds=1.0)


def test_tests_that_launch_little_else_are_asked_first() -> None:
    launches = ((1, 0), (1, 5), (2, 5), (3, 5))
    plain = run_tests("passed", "passed", "passed", launches=launches)
    backward = run_tests("passed", "passed", "failed", launches=launches)
    tests = instance_tests.TestsOfInstances(plain, backward, 6)

    assert [record.number for record in tests.list_passing((5, ""))] == [2, 1]
    assert [record.number for record in tests.list_failing((5, ""))] == [3]


def test_kernels_that_the_project_does_not_have_are_none_of_its() -> None:
    plain = run_tests("passed", launches=((1, 7), (1, 0)))
    tests = instance_tests.TestsOfInstances(plain, plain, 1)

    assert list(tests.launches) == [(0, "")]


def test_a_slow_test_is_not_repeated_where_others_launch_the_same() -> None:
    launches = ((1, 0), (2, 0), (2, 1), (3, 0), (4, 1), (5, 2))
    outcomes = ("passed", "passed", "passed", "too slow", "failed")
    run = run_tests(*outcomes, launches=launches)
    slow_records = (
        replace_seconds(record, 40.0) if record.number in (2, 3) else record
        for record in run.records
    )
    plain = replace(run, records=tuple(slow_records))

    repeated = instance_tests.choose_repeated_tests(plain, (1, 2, 3, 4, 5))

    # the second has kernel 1 to itself, since the fourth never ends
    assert repeated == (1, 2, 5)


def replace_seconds(record: TestRecord, seconds: float) -> TestRecord:
    return TestRecord(
        number=record.number, test=record.test, outcome=record.outcome, seconds=seconds
    )


def test_a_test_that_was_too_slow_is_held_against_no_kernel() -> None:
    plain = run_tests("passed", "too slow", launches=((1, 0), (2, 0)))
    tests = instance_tests.TestsOfInstances(plain, plain, 1)

    assert tests.list_failing((0, "")) == []


def record_launch(test: int, arguments: str = "") -> RecordedLaunch:
    return RecordedLaunch(
        kernel=5,
        arguments=arguments,
        number=1,
        test=test,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        seconds=0.0,
        parameters=(),
        pointers=(),
        links=(),
        buffers=(),
    )


def test_launches_of_tests_that_pass_name_their_test_and_licence() -> None:
    launches = ((1, 5), (2, 5), (3, 5))
    plain = run_tests("passed", "failed", "passed", launches=launches)
    recordings = (*map(record_launch, (1, 2, 3)), record_launch(1, "[T = int]"))
    plain = replace(plain, recordings=recordings)
    tests = instance_tests.TestsOfInstances(plain, plain, 6)

    recorded = tests.list_recordings((5, ""), lambda file: f"licence of {file}")

    assert [case.source for case in recorded] == ["test1", "test3"]
    assert {case.origin for case in recorded} == {CaseOrigin.PROJECT_TEST}
    assert recorded[0].licence == "licence of test1"
