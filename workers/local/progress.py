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
"""Stage, state and code of tasks, and how many there are of each."""
_OPEN_STATES: Final = frozenset({State.WAITING, State.READY, State.RUNNING})
_SHOWN_MESSAGE_LENGTH: Final = 2000


class ProgressDisplay(Protocol):
    """Shows how a crawl goes on while it runs."""

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

    # slow to import, and not needed where standard error is a file
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
        details: dict[str, str] = {}
        if event.code:
            # of a long message the end: a compiler's last lines name the fault
            details["code"] = event.code
            details["message"] = event.message[-_SHOWN_MESSAGE_LENGTH:]

        is_expected = event.state in ("done", "rejected")
        log = self._log.info if is_expected else self._log.warning
        log(
            "task ended",
            stage=event.stage,
            subject=event.subject,
            state=event.state,
            seconds=event.seconds,
            **details,
        )

    def show_task_counts(self, counts: TaskCounts) -> None:
        """Show nothing: counts change too often for a log."""


class _Bars:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar_ids: dict[Stage, TaskID] = {}

    def show_ended_task(self, event: TaskEnded) -> None:
        if event.state not in ("failed", "again"):
            return
        # loaded late: the command line imports this module
        from workers.cli.terminal import escape_line

        line = (
            f"{event.state}: {event.stage} {event.subject} "
            f"[{event.code}] {event.message}"
        )
        self._progress.console.print(
            escape_line(line)[:_SHOWN_MESSAGE_LENGTH], markup=False, highlight=False
        )

    def show_task_counts(self, counts: TaskCounts) -> None:
        totals: Counter[Stage] = Counter()
        ended: Counter[Stage] = Counter()
        for stage, state, _, number in counts:
            totals[stage] += number
            if state not in _OPEN_STATES:
                ended[stage] += number

        for stage, total in totals.items():
            if stage not in self._bar_ids:
                self._bar_ids[stage] = self._progress.add_task(stage.value, total=None)
            self._progress.update(
                self._bar_ids[stage],
                total=total,
                completed=ended[stage],
            )
