"""Records of a suite's run, and how it goes on behind a test in which it dies."""

from __future__ import annotations

from crawler.validate.suites.suite_records import (
    KernelChange,
    TestRecord,
    read_records,
    resume_behind,
)

SKIP = KernelChange("skip", 0, "[T = float]")
SPOIL = KernelChange("spoil", 0, "[T = float]")


def test_records_are_read_as_far_as_they_are_some() -> None:
    lines = [
        '{"number": 1, "test": "a", "outcome": "begun"}',
        '{"number": 1, "test": "a", "outcome": "passed", "seconds": 0.5}',
        "nonsense",
        '{"number": 2, "test": "b", "outcome": "begun", "change": ["skip", 0, ""]}',
    ]
    records = read_records(lines)

    assert [(each.number, each.outcome) for each in records.finished] == [(1, "passed")]
    assert records.unfinished is not None
    assert records.unfinished.change == KernelChange("skip", 0, "")


def test_a_process_says_how_many_tests_there_are_and_where_it_paused() -> None:
    lines = [
        '{"number": 9, "test": "", "outcome": "collected"}',
        '{"number": 1, "test": "a", "outcome": "passed"}',
        '{"number": 4, "test": "b", "outcome": "paused"}',
    ]
    records = read_records(lines)

    assert records.collected == 9
    assert [each.number for each in records.finished] == [1]
    assert records.unfinished is not None
    assert (records.unfinished.number, records.unfinished.outcome) == (4, "paused")


def test_a_run_goes_on_with_the_next_test() -> None:
    crashed = TestRecord(number=7, test="a", outcome="begun")

    assert resume_behind(crashed, {}) == (8, {})


def test_a_run_goes_on_with_the_next_change() -> None:
    crashed = TestRecord(number=7, test="a", outcome="begun", change=SKIP)
    changes = {7: (SKIP, SPOIL), 9: (SKIP,)}

    assert resume_behind(crashed, changes) == (7, {7: (SPOIL,), 9: (SKIP,)})


def test_after_the_last_change_the_test_is_run_plain() -> None:
    crashed = TestRecord(number=7, test="a", outcome="begun", change=SPOIL)
    changes = {7: (SKIP, SPOIL)}

    assert resume_behind(crashed, changes) == (7, {7: ()})


def test_after_it_has_died_plain_the_next_test_has_its_turn() -> None:
    crashed = TestRecord(number=7, test="a", outcome="begun")

    assert resume_behind(crashed, {7: ()}) == (8, {7: ()})


def test_a_record_of_any_length_is_passed_over() -> None:
    line = f'{{"number": 1, "test": "a", "outcome": "passed", "message": "{"x" * 20_000}"}}'

    assert read_records([line]).finished == []
