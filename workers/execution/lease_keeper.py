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
_CHECK_SECONDS: Final = 0.5
_IDLE: Final = 10.0
"""Seconds without a task after which the watching thread ends."""


@dataclass(slots=True)
class _HeldLease:
    """The lease of the task at hand; times are those of the monotonic clock."""

    claim: Claim
    extend_at: float
    deadline: float


class LeaseKeeper:
    """Keeps the leases of a process, one task after the other.

    One thread serves all of them: starting one costs as much as a short task.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        lease_seconds: float,
        task_seconds: float,
        task_bytes: int = 0,
    ) -> None:
        """Bound the memory of the process and its descendants by `task_bytes`; zero for none."""
        self._ledger = ledger
        self._lease_seconds = lease_seconds
        self._task_seconds = task_seconds
        self._task_bytes = task_bytes
        self._check_seconds = min(_CHECK_SECONDS, lease_seconds / 6, task_seconds / 2)
        self._held: _HeldLease | None = None
        self._is_watched = False
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def keep_lease(self, claim: Claim) -> Iterator[None]:
        """Extend the lease until the block ends.

        A task that takes too much time or memory takes its worker with it, hung or not.
        """
        now = time.monotonic()
        with self._lock:
            self._held = _HeldLease(
                claim,
                extend_at=now + self._lease_seconds / 3,
                deadline=now + self._task_seconds,
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
            self._check_until_idle()
        except BaseException:
            # the next task starts the thread again
            self._is_watched = False
            raise

    def _check_until_idle(self) -> None:
        idle_since = time.monotonic()
        while True:
            time.sleep(self._check_seconds)
            held_lease = self._held
            if held_lease is not None:
                self._check(held_lease)
                idle_since = time.monotonic()
                continue
            if time.monotonic() - idle_since <= _IDLE:
                continue
            with self._lock:
                # a task may have begun meanwhile
                if self._held is None:
                    self._is_watched = False
                    return

    def _check(self, held_lease: _HeldLease) -> None:
        now = time.monotonic()
        if now >= held_lease.deadline:
            self._kill_worker(held_lease, OVERTIME_EXIT_CODE)
        if self._task_bytes and process_tree.resident_bytes() > self._task_bytes:
            self._kill_worker(held_lease, OVERSIZE_EXIT_CODE)
        if now >= held_lease.extend_at:
            self._extend(held_lease, now)

    def _extend(self, held_lease: _HeldLease, now: float) -> None:
        held_lease.extend_at = now + self._lease_seconds / 3
        # a locked store is tried again well before the lease runs out
        with contextlib.suppress(Transient):
            is_still_ours = self._ledger.extend_lease(
                held_lease.claim, self._lease_seconds
            )
            if not is_still_ours:
                held_lease.extend_at = held_lease.deadline

    def _kill_worker(self, held_lease: _HeldLease, exit_code: int) -> None:
        # a task that has just ended is not to blame
        if self._held is held_lease:
            process_tree.kill_process_tree(exit_code)
