"""Show the progress of a crawl: bars on a terminal, structured logs elsewhere."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from storage.ledger.interface import Stage, State
from workers.execution.events import TaskEnded
from workers.execution.logs import get_logger

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TaskCounts = Sequence[tuple[Stage, State, str, int]]
_OPEN: Final = frozenset({State.WAITING, State.READY, State.RUNNING})
_MESSAGE_SHOWN: Final = 2000


class ProgressDisplay(Protocol):
    """What is told of a crawl while it runs."""

    def show_ended_task(self, event: TaskEnded) -> None:
        """Show a task that ended."""
        ...

    def show_task_counts(self, counts: TaskCounts) -> None:
        """Show how far each stage is."""
        ...


@contextmanager
def open_display() -> Iterator[ProgressDisplay]:
    """Give bars where standard error is a terminal, else logs."""
    if not sys.stderr.isatty():
        yield _Logs()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bars(bars)


class _Logs:
    def __init__(self) -> None:
        self._log = get_logger()

    def show_ended_task(self, event: TaskEnded) -> None:
        details = (
            {"code": event.code, "message": event.message[-_MESSAGE_SHOWN:]}
            if event.code
            else {}
        )
        say = (
            self._log.info if event.state in ("done", "rejected") else self._log.warning
        )
        say(
            "task ended",
            stage=event.stage,
            subject=event.subject,
            state=event.state,
            seconds=event.seconds,
            **details,
        )

    def show_task_counts(self, counts: TaskCounts) -> None:
        pass


class _Bars:
    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._of: dict[Stage, TaskID] = {}

    def show_ended_task(self, event: TaskEnded) -> None:
        if event.state in ("failed", "again"):
            from workers.cli.terminal import escape_line

            line = f"{event.state}: {event.stage} {event.subject} [{event.code}] {event.message}"
            self._bars.console.print(
                escape_line(line)[:_MESSAGE_SHOWN], markup=False, highlight=False
            )

    def show_task_counts(self, counts: TaskCounts) -> None:
        totals: Counter[Stage] = Counter()
        ended: Counter[Stage] = Counter()
        for stage, state, _, number in counts:
            totals[stage] += number
            ended[stage] += 0 if state in _OPEN else number
        for stage in totals:
            if stage not in self._of:
                self._of[stage] = self._bars.add_task(stage.value, total=None)
            self._bars.update(
                self._of[stage], total=totals[stage], completed=ended[stage]
            )
