"""Calls that a launcher lets through as well as those that a search ended with."""

from __future__ import annotations

import pytest

from crawler.validate.launchers.varied_calls import (
    find_largest_faults,
    find_ranked_faults,
    find_shifted_faults,
    find_uneven_faults,
    takes_any_rows,
)
from crawler.validate.programs.runs.launch_faults import LaunchFault
from crawler.validate.programs.runs.launch_log import (
    LaunchFinding,
    LaunchLog,
    LoggedLaunch,
)
from crawler.validate.programs.runs.program_runs import ProgramRun


def make_run(
    kind: str,
    *,
    offset: int = 28,
    times: int = 2,
    allocation: int = 0,
    tests: tuple[int, ...] = (1, 28),
) -> ProgramRun:
    """Return a run with a launch in each of `tests`, with a finding of that kind."""
    launches = tuple(
        make_launch(test, kind, offset, times, allocation) for test in tests
    )
    return ProgramRun(log=LaunchLog(launches=launches), exit_code=0, output="")


def make_launch(
    test: int, kind: str, offset: int, times: int, allocation: int
) -> LoggedLaunch:
    return LoggedLaunch(
        number=1,
        kernel=0,
        grid=(1, 1, 1),
        block=(32, 1, 1),
        shared_bytes=0,
        test=test,
        is_finished=True,
        findings=[
            LaunchFinding(
                kind=kind,
                times=times,
                block=(0, 0, 0),
                thread=(3, 0, 0),
                line=0,
                allocation=allocation,
                offset=offset,
                size=28,
            )
        ],
    )


@pytest.mark.parametrize(
    ("calls", "are_any"),
    [
        (["f(float[7], 2)", "f(float[16], 2)"], True),
        (["f(float[2, 4])", "f(float[3, 8])"], False),
        (["f(float[7], int32[4])", "f(float[9], int32[8])"], False),
        (["f(float[7], int32[4])", "f(float[8], int32[5])"], True),
        (["f(float[1])", "f(float[2])"], False),
        (["f(3, 5)"], False),
        ([], False),
    ],
)
def test_a_launcher_takes_any_rows_where_each_tensor_had_odd_ones(
    calls: list[str], are_any: bool
) -> None:
    assert takes_any_rows(calls) is are_any


def test_what_begins_at_an_odd_element_is_told_and_nothing_else_of_such_calls() -> None:
    assert list(find_shifted_faults(make_run("misaligned")))
    assert not list(find_shifted_faults(make_run("out-of-bounds")))


def test_a_fault_that_only_the_order_of_numbers_leads_to_is_the_kernels() -> None:
    beyond = make_run("out-of-bounds")
    ((_, fault, _),) = find_ranked_faults(beyond, beyond)
    assert fault.code == "out-of-bounds"


@pytest.mark.parametrize(
    "lowered",
    [
        make_run("out-of-bounds", offset=-400),
        make_run("out-of-bounds", times=10),
        make_run("out-of-bounds", allocation=1),
        make_run("race"),
    ],
    ids=["index", "length", "elsewhere", "none"],
)
def test_a_fault_that_values_lead_to_may_be_the_callers(lowered: ProgramRun) -> None:
    assert not list(find_ranked_faults(make_run("out-of-bounds"), lowered))


def test_a_fault_that_equal_numbers_lead_to_or_different_ones_may_be_too() -> None:
    for tests in ((1, 2), (28, 29)):
        beyond = make_run("out-of-bounds", tests=tests)
        assert not list(find_ranked_faults(beyond, beyond))


def test_a_number_as_large_as_a_check_allows_is_no_excuse() -> None:
    assert list(find_largest_faults(make_run("array-bounds")))
    assert list(find_largest_faults(make_run("race", allocation=-2)))
    assert not list(find_largest_faults(make_run("race")))


@pytest.mark.parametrize(
    ("code", "is_told"),
    [("uninitialised-read", True), ("out-of-bounds", True), ("race", False)],
)
def test_results_that_a_rest_is_left_out_of_are_told(code: str, is_told: bool) -> None:
    faults = {(0, ""): LaunchFault(code=code, message="")}
    assert bool(list(find_uneven_faults(faults))) is is_told
