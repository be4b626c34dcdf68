"""Runs of one kernel share what they may take of a processor; who came to an end is never
stopped for it.
"""

from __future__ import annotations

import pytest

from crawler.validate.emulator.cpu_budget import (
    KILLED_RUN_SECONDS,
    CpuBudgetExceeded,
    charge_runs,
    limit_endless_runs,
    measure_used_seconds,
)
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch

LAUNCH = KernelLaunch(grid=(1, 1, 1), block=(1, 1, 1), max_seconds=2.0)


def _charge(*outcomes: Outcome, seconds: float = 0.0) -> None:
    ended = [
        Execution(outcome=outcome, nanoseconds=int(seconds * 1e9))
        for outcome in outcomes
    ]
    charge_runs([LAUNCH] * len(ended), ended)


def test_a_kernel_that_never_ends_is_stopped_after_so_many_runs() -> None:
    with limit_endless_runs(5.0):
        _charge(Outcome.TIMEOUT, Outcome.TIMEOUT)
        with pytest.raises(CpuBudgetExceeded) as stopped:
            _charge(Outcome.TIMEOUT)
    assert stopped.value.outcome is Outcome.TIMEOUT


def test_each_run_that_is_ended_from_outside_counts() -> None:
    with limit_endless_runs(2.5 * KILLED_RUN_SECONDS):
        _charge(Outcome.KILLED, Outcome.DONE, Outcome.KILLED)
        with pytest.raises(CpuBudgetExceeded) as stopped:
            _charge(Outcome.KILLED)
    assert stopped.value.outcome is Outcome.KILLED


def test_what_comes_to_its_end_may_take_long_and_nothing_counts_outside() -> None:
    with limit_endless_runs(1.0):
        _charge(Outcome.DONE, Outcome.FAULT, seconds=30.0)
    _charge(Outcome.TIMEOUT)
    with limit_endless_runs(3.0):
        _charge(Outcome.TIMEOUT)
        with pytest.raises(CpuBudgetExceeded):
            _charge(Outcome.TIMEOUT)


def test_what_all_runs_took_is_known_to_the_budget_around_them() -> None:
    with limit_endless_runs(60.0):
        _charge(Outcome.DONE, seconds=3.0)
        with limit_endless_runs(10.0):
            _charge(Outcome.TIMEOUT)
            assert measure_used_seconds() == 2.0
        assert measure_used_seconds() == 5.0
    assert measure_used_seconds() == 0.0


def test_a_report_counts_for_no_less_than_the_clock_tells() -> None:
    forged = Execution(outcome=Outcome.DONE, nanoseconds=-(10**12))
    with limit_endless_runs(60.0):
        charge_runs([LAUNCH], [forged], min_seconds=0.5)
        assert measure_used_seconds() == 0.5
