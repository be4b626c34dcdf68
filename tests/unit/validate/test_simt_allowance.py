"""Runs of one kernel share what they may take of a processor; who came to an end is never stopped for it."""

from __future__ import annotations

import pytest

from crawler.validate.simt.allowance import KILLED, AllowanceSpent, allowed, charge
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Launch

LAUNCH = Launch(grid=(1, 1, 1), block=(1, 1, 1), seconds=2.0)


def _charge(*outcomes: Outcome, seconds: float = 0.0) -> None:
    ended = [Execution(outcome=each, nanoseconds=int(seconds * 1e9)) for each in outcomes]
    charge([LAUNCH] * len(ended), ended)


def test_a_kernel_that_never_ends_is_stopped_after_so_many_runs() -> None:
    with allowed(5.0):
        _charge(Outcome.TIMEOUT, Outcome.TIMEOUT)
        with pytest.raises(AllowanceSpent) as stopped:
            _charge(Outcome.TIMEOUT)
    assert stopped.value.outcome is Outcome.TIMEOUT


def test_each_run_that_is_ended_from_outside_counts() -> None:
    with allowed(2.5 * KILLED):
        _charge(Outcome.KILLED, Outcome.DONE, Outcome.KILLED)
        with pytest.raises(AllowanceSpent) as stopped:
            _charge(Outcome.KILLED)
    assert stopped.value.outcome is Outcome.KILLED


def test_what_comes_to_its_end_may_take_long_and_nothing_counts_outside() -> None:
    with allowed(1.0):
        _charge(Outcome.DONE, Outcome.FAULT, seconds=30.0)
    _charge(Outcome.TIMEOUT)
    with allowed(3.0):
        _charge(Outcome.TIMEOUT)
        with pytest.raises(AllowanceSpent):
            _charge(Outcome.TIMEOUT)
