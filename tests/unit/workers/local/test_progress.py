"""How a crawl goes on is shown by bars on a terminal and by logs elsewhere, and nothing that a
stranger wrote draws on the terminal.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from storage.ledger.interface import Stage, State
from workers.execution.events import TaskEnded
from workers.local.progress import ProgressDisplay, open_display

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.getvalue())


def make_event(state: str, **changes: object) -> TaskEnded:
    facts = {
        "stage": "extract",
        "subject": "a.cu",
        "state": state,
        "code": "",
        "message": "",
        "seconds": 1.5,
        **changes,
    }
    return TaskEnded(**facts)  # type: ignore[arg-type]


@contextmanager
def show_bars() -> Iterator[tuple[Terminal, ProgressDisplay]]:
    """Open a display on a terminal.

    Not a fixture: pytest puts its own standard error back before a test begins.
    """
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "200")
        patch.setattr(sys, "stderr", terminal)
        with open_display() as display:
            yield terminal, display


def test_a_stage_has_a_bar_with_what_ended_of_all() -> None:
    with show_bars() as (terminal, bars):
        bars.show_task_counts(
            [
                (Stage.CLONE, State.DONE, "", 1),
                (Stage.EXTRACT, State.DONE, "", 5),
                (Stage.EXTRACT, State.FAILED, "parse-failed", 2),
                (Stage.EXTRACT, State.REJECTED, "no-kernels", 1),
                (Stage.EXTRACT, State.CANCELLED, "", 1),
                (Stage.EXTRACT, State.READY, "", 4),
                (Stage.EXTRACT, State.RUNNING, "", 2),
                (Stage.EXTRACT, State.WAITING, "", 1),
            ]
        )
        bars._progress.refresh()  # type: ignore[attr-defined]
        assert re.search(r"clone\s.*1/1", terminal.text)
        assert re.search(r"extract\s.*9/16", terminal.text)


def test_a_bar_is_moved_and_not_drawn_twice() -> None:
    with show_bars() as (terminal, bars):
        for done in range(3):
            counts = [
                (Stage.PORT, State.DONE, "", done),
                (Stage.PORT, State.READY, "", 3 - done),
            ]
            bars.show_task_counts(counts)
        assert len(bars._progress.tasks) == 1  # type: ignore[attr-defined]
        bars._progress.refresh()  # type: ignore[attr-defined]
        assert "2/3" in terminal.text


def test_only_what_went_wrong_is_written_above_the_bars() -> None:
    with show_bars() as (terminal, bars):
        bars.show_ended_task(make_event("done"))
        bars.show_ended_task(make_event("rejected", code="no-kernels"))
        assert "a.cu" not in terminal.text
        bars.show_ended_task(make_event("failed", code="parse-failed", message="why"))
        bars.show_ended_task(make_event("again", code="network-down", message="later"))
        assert "failed: extract a.cu [parse-failed] why" in terminal.text
        assert "again: extract a.cu [network-down] later" in terminal.text


def test_a_message_can_neither_draw_nor_be_markup() -> None:
    with show_bars() as (terminal, bars):
        hostile = "\x1b[2J\x1b]0;title\x07[red]words[/red]\rover"
        bars.show_ended_task(make_event("failed", subject=hostile, message=hostile))
        assert "[red]words[/red]" in terminal.text
        assert "\x1b]0" not in terminal.getvalue()
        assert "\x1b[2J" not in terminal.getvalue()


def test_a_long_message_is_cut() -> None:
    with show_bars() as (terminal, bars):
        bars.show_ended_task(make_event("failed", message="x" * 100_000))
        assert terminal.text.count("x") < 3000


def test_elsewhere_each_task_is_a_log_line(capsys: pytest.CaptureFixture[str]) -> None:
    with open_display() as display:
        display.show_ended_task(make_event("done"))
        display.show_ended_task(make_event("failed", code="x", message="why"))
        display.show_task_counts([(Stage.PORT, State.DONE, "", 1)])
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if "task ended" in line]
    assert captured.out == ""
    assert len(lines) == 2, "counts change too often for a log"
    assert "why" in lines[1]
    assert "code" not in lines[0]


def test_a_log_has_the_end_of_a_long_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_display() as display:
        message = "x" * 100_000 + " the fault"
        display.show_ended_task(make_event("failed", code="c", message=message))
    error = capsys.readouterr().err
    assert "the fault" in error
    assert len(error) < 5000
