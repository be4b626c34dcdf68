"""Which tests look at a kernel's results."""

from __future__ import annotations

from crawler.validate.suites.instance_tests import read_checks
from crawler.validate.suites.suite_runs import KernelChange, TestRecord


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
    others = TestRecord(number=2, test="b", outcome="passed")
    records = [record("skip", "failed", "a"), record("spoil", "failed", "b")]
    records += [PLAIN, others]

    assert read_checks(records) == {}
