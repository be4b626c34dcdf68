"""Count the tasks that other processes have done by the length of a file."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MAX_SECONDS = 120.0


def write_tick(done: Path) -> None:
    """Count one task as done; a byte that is appended is never lost among many processes."""
    with done.open("ab", buffering=0) as file:
        file.write(b".")


def measure_rate(
    done: Path,
    tasks: int,
    *,
    first: Callable[[], None],
    all_of_them: Callable[[], None],
) -> float:
    """Return how many tasks a second are done, once the first shows that the worker is up."""
    done.write_bytes(b"")
    first()
    _wait_for_ticks(done, 1)

    # a worker that starts takes seconds, which say nothing of how fast it then is
    started = time.monotonic()
    all_of_them()
    _wait_for_ticks(done, 1 + tasks)
    return tasks / (time.monotonic() - started)


def _wait_for_ticks(done: Path, ticks: int) -> None:
    deadline = time.monotonic() + MAX_SECONDS
    while done.stat().st_size < ticks:
        assert time.monotonic() < deadline, (
            f"{done.stat().st_size} of {ticks} tasks are done"
        )
        time.sleep(0.01)


@contextlib.contextmanager
def run_in_child(act: Callable[[], object]) -> Iterator[None]:
    """Let a process of its own do it for as long as the block runs."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.setsid()
            # what workers log costs them as much as ever, and goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            act()
        os._exit(0)
    try:
        yield
    finally:
        os.kill(child, signal.SIGQUIT)
        threading.Timer(10.0, _kill_group, (child,)).start()
        os.waitpid(child, 0)


def _kill_group(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
