"""CPU budget for non-terminating runs of one kernel, and what all its runs have taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch

KILLED_RUN_SECONDS: Final = 10.0
"""Seconds that a run counts which was ended from outside: nobody knows how long it would have
gone on.
"""


@dataclass(slots=True)
class _Budget:
    """Seconds of the processor."""

    remaining_seconds: float
    """What runs may still take that come to no end."""
    used_seconds: float = 0.0
    """What all runs have taken."""


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)


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
    budget = _Budget(seconds)
    token = _BUDGET.set(budget)

    try:
        yield
    finally:
        _BUDGET.reset(token)
        outer = _BUDGET.get()
        if outer is not None:
            outer.used_seconds += budget.used_seconds


def measure_used_seconds() -> float:
    """Return the seconds of the processor that runs have taken since their budget was given.

    Unlike a clock it does not go on while other work has the processor.
    """
    budget = _BUDGET.get()
    return budget.used_seconds if budget else 0.0


def charge_runs(
    launches: Sequence[KernelLaunch],
    executions: Sequence[Execution],
    min_seconds: float = 0.0,
) -> None:
    """Count what runs took, and above all those that came to no end.

    All of them have taken `min_seconds` at least: a kernel may write over what its report says.
    Raises `CpuBudgetExceeded` where nothing is left.
    """
    budget = _BUDGET.get()
    spent = 0.0
    ended = 0.0
    has_endless_run = False
    has_killed_run = False

    for launch, execution in zip(launches, executions, strict=True):
        if execution.outcome is Outcome.TIMEOUT:
            has_endless_run = True
            spent += launch.max_seconds
        elif execution.outcome is Outcome.KILLED:
            has_killed_run = True
            spent += KILLED_RUN_SECONDS
        else:
            ended += execution.nanoseconds * 1e-9

    if budget is None:
        return

    budget.used_seconds += max(spent + ended, min_seconds)
    if not (has_endless_run or has_killed_run):
        return

    budget.remaining_seconds -= spent
    if budget.remaining_seconds < 0:
        raise CpuBudgetExceeded(Outcome.KILLED if has_killed_run else Outcome.TIMEOUT)
