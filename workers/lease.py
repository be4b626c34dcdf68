"""Keeps a claimed task's lease alive from a thread while the stage runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Final

from crawler.errors import Transient
from storage.ledger import Claim, LedgerPort
from workers import family

OVERTIME: Final = 75
"""Exit code of a worker whose task took longer than it may."""


@contextlib.contextmanager
def kept(ledger: LedgerPort, claim: Claim, *, lease_seconds: float, task_seconds: float) -> Iterator[None]:
    """Prolong the lease until the block ends; a task that overstays takes its worker with it, hung or not."""
    ended = threading.Event()
    deadline = time.monotonic() + task_seconds
    keeper = threading.Thread(target=_keep, args=(ledger, claim, lease_seconds, deadline, ended), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()


def _keep(ledger: LedgerPort, claim: Claim, lease_seconds: float, deadline: float, ended: threading.Event) -> None:
    while not ended.wait(min(lease_seconds / 3, max(0.0, deadline - time.monotonic()))):
        if time.monotonic() >= deadline:
            family.end(OVERTIME)
        # a locked store is tried again well before the lease runs out
        with contextlib.suppress(Transient):
            if not ledger.keep(claim, lease_seconds):
                return
