"""CPU budget for non-terminating runs of one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch

KILLED_RUN_SECONDS: Final = 10.0
"""Seconds that a run counts which was ended from outside: nobody knows how long it would have
gone on.
"""
_REMAINING_SECONDS: ContextVar[float | None] = ContextVar("allowance", default=None)


class CpuBudgetExceeded(Exception):
    """A kernel had all the time that it may take without an end, and its last runs ended as
    `outcome` says.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(
            f"all time of the processor is spent: the last run ended as {outcome}"
        )
        self.outcome = outcome


@contextmanager
def limit_endless_runs(seconds: float) -> Iterator[None]:
    """Let those of the runs inside that come to no end take so much of the processor in all."""
    token = _REMAINING_SECONDS.set(seconds)

    try:
        yield
    finally:
        _REMAINING_SECONDS.reset(token)


def charge_endless_runs(
    launches: Sequence[KernelLaunch], executions: Sequence[Execution]
) -> None:
    """Count what runs took that came to no end.

    Raises `CpuBudgetExceeded` where nothing is left.
    """
    remaining = _REMAINING_SECONDS.get()
    spent = 0.0
    has_endless_run = False
    has_killed_run = False

    for launch, execution in zip(launches, executions, strict=True):
        if execution.outcome is Outcome.TIMEOUT:
            has_endless_run = True
            spent += launch.max_seconds
        elif execution.outcome is Outcome.KILLED:
            has_killed_run = True
            spent += KILLED_RUN_SECONDS

    if remaining is None or not (has_endless_run or has_killed_run):
        return

    remaining -= spent
    _REMAINING_SECONDS.set(remaining)
    if remaining < 0:
        raise CpuBudgetExceeded(Outcome.KILLED if has_killed_run else Outcome.TIMEOUT)
