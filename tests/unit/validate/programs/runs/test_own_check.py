"""Whether programs check their results."""

from __future__ import annotations

import pytest

from crawler.validate.programs.runs.launch_log import LaunchLog, parse_launch_log
from crawler.validate.programs.runs.own_check import (
    accepts_results,
    list_refusals,
    notices_change,
    quote_refusal,
    read_own_check,
    refuses_results,
)
from crawler.validate.programs.runs.program_runs import ProgramRun


def run(output: str, exit_code: int = 0, *, errors: str = "") -> ProgramRun:
    return ProgramRun(
        log=LaunchLog(), exit_code=exit_code, output=output, errors=errors
    )


@pytest.mark.parametrize(
    ("output", "check"),
    [
        ("Test PASSED", "pass"),
        ("results are correct", "pass"),
        ("FAIL", "fail"),
        ("3 mismatches, PASS", "fail"),
        ("bypass incorrectly failing", ""),
        ("time 3 ms", ""),
    ],
)
def test_words_say_how_a_check_ended(output: str, check: str) -> None:
    assert read_own_check(output) == check


def test_a_program_that_ends_badly_does_not_accept_its_results() -> None:
    assert accepts_results(run("PASS"))
    assert not accepts_results(run("PASS", exit_code=1))
    assert not accepts_results(run("FAIL"))
    assert not accepts_results(run("done", errors="3 mismatches"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (run("PASS"), run("FAIL")),
        (run("PASS"), run("")),
        (run(""), run("", exit_code=3)),
        (run("", errors="Test passed"), run("")),
        (run("PASS"), run("PASS", errors="row 3 is wrong")),
    ],
)
def test_a_change_is_noticed_in_words_or_by_the_exit_code(
    before: ProgramRun, after: ProgramRun
) -> None:
    assert notices_change(before, after)


@pytest.mark.parametrize(
    "after",
    [
        run("", exit_code=139),
        run("", exit_code=-9),
        ProgramRun(log=LaunchLog(is_out_of_time=True), exit_code=3, output=""),
        ProgramRun(
            log=parse_launch_log("launch 1 0 1 1 1 32 1 1 0 0\nend 1 0 9\n"),
            exit_code=3,
            output="",
        ),
    ],
    ids=["crash", "killed", "endless", "stopped-in-a-launch"],
)
def test_a_crash_is_no_check(after: ProgramRun) -> None:
    assert not notices_change(run("PASS"), after)


def test_a_number_that_is_only_printed_is_no_check() -> None:
    assert not notices_change(run("sum 3"), run("sum 4"))


def test_a_program_refuses_its_results_by_its_exit_code_and_in_words() -> None:
    refusing = run("begin\n  Test FAILED at 3\n", exit_code=1)

    assert refuses_results(refusing)
    assert quote_refusal(refusing) == "Test FAILED at 3"


def test_a_refusal_may_stand_on_standard_error() -> None:
    refusing = run("size 29", exit_code=1, errors="size 29\n2 of 5 rows are wrong\n")

    assert refuses_results(refusing)
    assert quote_refusal(refusing) == "2 of 5 rows are wrong"


@pytest.mark.parametrize(
    "line",
    [
        "batch 3: expected 7.5, got 7.25",
        "got 3 where 4 was expected",
        "row 2 differs",
        "[7] 3 instead of 4",
        "the arrays do not match",
        "keys are not sorted",
        "a.cu:7: Assertion `a[i] == b[i]' failed.",
    ],
)
def test_a_refusal_may_only_say_what_is_otherwise(line: str) -> None:
    assert refuses_results(run("begin", exit_code=1, errors=f"{line}\n"))
    assert quote_refusal(run(f"begin\n{line}\n", exit_code=1)) == line
    assert accepts_results(run("differs by 0")), "without an exit code it is praise"


@pytest.mark.parametrize(
    "other",
    [
        run("0 mismatches"),
        run("usage: a N", exit_code=1),
        run("no such device", exit_code=1),
        run("FAILED", exit_code=139),
    ],
)
def test_words_alone_codes_alone_and_crashes_refuse_nothing(other: ProgramRun) -> None:
    assert not refuses_results(other)


def test_a_line_in_place_of_praise_refuses_without_an_exit_code() -> None:
    refusals = list_refusals(r'printf(ok ? "Test passed\n" : "Test failed!\n");')

    assert refusals == {"Test failed!"}
    assert refuses_results(run("begin\nTest failed!\n"), refusals)
    assert not refuses_results(run("Test passed\n"), refusals)
    assert not refuses_results(run("link failed\n"), refusals), "another line"


@pytest.mark.parametrize(
    "source",
    [
        'puts("open failed"); puts("done"); puts("PASSED");',
        r'printf("%d failures\n", n); puts("ok");',
        'puts("all tests passed, none failed"); puts("ok");',
        'puts("failed");',
    ],
)
def test_words_that_do_not_stand_beside_praise_are_no_verdict(source: str) -> None:
    assert not list_refusals(source)


@pytest.mark.timeout(30)
def test_a_line_of_a_hundred_thousand_words_costs_no_time() -> None:
    assert not refuses_results(run("expected " * 100_000, exit_code=1))
