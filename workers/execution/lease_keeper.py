"""Extend the lease of the current task, and end its worker when it exceeds its time or memory."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.errors import Transient
from storage.ledger.interface import Claim, Ledger
from workers.execution import process_tree

OVERTIME_EXIT_CODE: Final = 75
"""Exit code of a worker whose task took longer than it may."""
OVERSIZE_EXIT_CODE: Final = 76
"""Exit code of a worker whose task took more memory than it may."""
_LOOK_EVERY: Final = 0.5
_IDLE: Final = 10.0


@dataclass(slots=True)
class _Held:
    claim: Claim
    keep_at: float
    deadline: float


class LeaseKeeper:
    """Keeps the tasks of a process, one after the other, from one thread: starting it costs as
    much as a short task.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        lease_seconds: float,
        task_seconds: float,
        task_bytes: int = 0,
    ) -> None:
        """With `task_bytes`, the process and all that came of it may hold no more; zero means
        no bound.
        """
        self._ledger = ledger
        self._lease_seconds = lease_seconds
        self._task_seconds = task_seconds
        self._task_bytes = task_bytes
        self._look_every = min(_LOOK_EVERY, lease_seconds / 6, task_seconds / 2)
        self._held: _Held | None = None
        self._is_watched = False
        self._turn = threading.Lock()

    @contextlib.contextmanager
    def keep_lease(self, claim: Claim) -> Iterator[None]:
        """Prolong the lease until the block ends; a task that takes too much takes its worker
        with it, hung or not.
        """
        now = time.monotonic()
        with self._turn:
            self._held = _Held(
                claim, now + self._lease_seconds / 3, now + self._task_seconds
            )
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, daemon=True).start()
        try:
            yield
        finally:
            self._held = None

    def _watch(self) -> None:
        try:
            self._look_on()
        except BaseException:
            # the next task is looked after again
            self._is_watched = False
            raise

    def _look_on(self) -> None:
        idle_since = time.monotonic()
        while True:
            time.sleep(self._look_every)
            if (held := self._held) is not None:
                self._look(held)
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > _IDLE:
                with self._turn:
                    if self._held is None:
                        self._is_watched = False
                        return

    def _look(self, held: _Held) -> None:
        now = time.monotonic()
        if now >= held.deadline:
            self._end(held, OVERTIME_EXIT_CODE)
        if self._task_bytes and process_tree.resident_bytes() > self._task_bytes:
            self._end(held, OVERSIZE_EXIT_CODE)
        if now >= held.keep_at:
            held.keep_at = now + self._lease_seconds / 3
            # a locked store is tried again well before the lease runs out
            with contextlib.suppress(Transient):
                if not self._ledger.extend_lease(held.claim, self._lease_seconds):
                    held.keep_at = held.deadline

    def _end(self, held: _Held, code: int) -> None:
        # what has just ended is not to blame
        if self._held is held:
            process_tree.kill_process_tree(code)
