"""CPU budget for non-terminating runs of one kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch

KILLED_RUN_SECONDS: Final = 10.0
"""Seconds that a run counts which was ended from outside: nobody knows how long it would have
gone on.
"""
_LEFT: ContextVar[float | None] = ContextVar("allowance", default=None)


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
    token = _LEFT.set(seconds)
    try:
        yield
    finally:
        _LEFT.reset(token)


def charge_endless_runs(
    launches: Sequence[KernelLaunch], executions: Sequence[Execution]
) -> None:
    """Count what runs took that came to no end; raises `AllowanceSpent` where nothing is left."""
    left = _LEFT.get()
    endless = [
        launch
        for launch, each in zip(launches, executions, strict=True)
        if each.outcome is Outcome.TIMEOUT
    ]
    killed = sum(each.outcome is Outcome.KILLED for each in executions)
    if left is None or not (endless or killed):
        return
    left -= sum(launch.max_seconds for launch in endless) + killed * KILLED_RUN_SECONDS
    _LEFT.set(left)
    if left < 0:
        raise CpuBudgetExceeded(Outcome.KILLED if killed else Outcome.TIMEOUT)
