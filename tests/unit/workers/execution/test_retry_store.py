"""A store that is away for a moment stops nobody; one that is broken does at once."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from storage.errors import StoreLocked, StoreUnavailable
from workers.execution.retry_store import retry_while_unavailable


@pytest.mark.parametrize("error", [StoreLocked, StoreUnavailable])
def test_what_comes_back_is_asked_again(error: type[Exception]) -> None:
    attempts: list[int] = []

    def answer_at_the_third_attempt() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise error("away")
        return "answer"

    assert retry_while_unavailable(answer_at_the_third_attempt) == "answer"
    assert len(attempts) == 3


def test_another_error_is_not_tried_again(tmp_path: Path) -> None:
    attempts: list[int] = []

    def open_a_folder() -> None:
        attempts.append(1)
        sqlite3.connect(tmp_path)

    with pytest.raises(sqlite3.OperationalError):
        retry_while_unavailable(open_a_folder)
    assert len(attempts) == 1


def test_what_stays_away_is_given_up_in_time() -> None:
    started = time.monotonic()

    def fail() -> None:
        raise StoreLocked("away")

    with pytest.raises(StoreLocked):
        retry_while_unavailable(fail, seconds=0.3)
    assert time.monotonic() - started < 2
