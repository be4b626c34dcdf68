"""Registry of live workers by heartbeat, the queues that they serve, and queues without any."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from sqlalchemy import Engine, Row, delete, func, select

from storage.database.base import upsert
from storage.database.engine import read_transaction, write_transaction
from storage.ledger.crawls.crawl_membership import is_in_crawl
from storage.ledger.interface import Lane, State
from storage.tables import TASK, WORKER

_LIVE_SECONDS: Final = 60.0
"""Seconds after its last heartbeat for which a worker counts as alive."""
_ROW_LIFETIME_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredWorker:
    """A worker whose heartbeat was seen within the last minute."""

    id: str
    """The lease owner of its process, as `storage.ledger.leases.lease_owner` writes it."""
    queues: tuple[str, ...]
    revisions: dict[str, str]
    """Queue to the revision of our code that serves it."""
    processes: int
    started_at: float
    seen_at: float


class SqlWorkerRegistry:
    """The live workers, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def record_heartbeat(
        self,
        worker: str,
        queues: tuple[str, ...],
        processes: int,
        revisions: Mapping[str, str] | None = None,
    ) -> None:
        """Record that a worker lives, and what it serves by which revision of its code.

        Workers call it every few seconds.
        """
        now = self._clock()
        service = {
            "queues": json.dumps(queues),
            "revisions": json.dumps(revisions or {}),
            "processes": processes,
        }
        inserted = upsert(WORKER).values(
            {"id": worker, **service, "started_at": now, "seen_at": now}
        )
        # all but `started_at`
        updated = {name: inserted.excluded[name] for name in (*service, "seen_at")}
        stale = delete(WORKER).where(WORKER.c.seen_at < now - _ROW_LIFETIME_SECONDS)

        with write_transaction(self._engine) as connection:
            connection.execute(
                inserted.on_conflict_do_update(index_elements=["id"], set_=updated)
            )
            connection.execute(stale)

    def remove_worker(self, worker: str) -> None:
        """Remove a worker that ends."""
        with write_transaction(self._engine) as connection:
            connection.execute(delete(WORKER).where(WORKER.c.id == worker))

    def live_workers(self) -> tuple[RegisteredWorker, ...]:
        """Return the live workers, oldest first."""
        statement = (
            select(WORKER)
            .where(WORKER.c.seen_at > self._clock() - _LIVE_SECONDS)
            .order_by(WORKER.c.started_at, WORKER.c.id)
        )

        with read_transaction(self._engine) as connection:
            rows = connection.execute(statement).all()

        return tuple(_make_worker(row) for row in rows)

    def processes_by_queue(self) -> dict[str, int]:
        """Return each queue that live workers serve, with their number of processes."""
        processes: Counter[str] = Counter()
        for worker in self.live_workers():
            processes.update(dict.fromkeys(worker.queues, worker.processes))
        return dict(processes)

    def served_lanes(self) -> frozenset[Lane]:
        """Return the lanes that live workers serve.

        For each of its queues a worker serves the tasks for any revision and those for its own.
        """
        lanes: set[Lane] = set()
        for worker in self.live_workers():
            for queue in worker.queues:
                lanes.add(Lane(queue))
                lanes.add(Lane(queue, worker.revisions.get(queue, "")))

        return frozenset(lanes)

    def blocked_queues(
        self, crawl: str = "", autoscaled_patterns: Sequence[str] = ()
    ) -> dict[str, int]:
        """Return each queue with ready tasks that no worker serves, and how many tasks.

        They are those of a crawl, or of all. `autoscaled_patterns` are patterns of queues that
        get workers as soon as they have tasks.
        """
        lane_columns = TASK.c.queue, TASK.c.revision
        ready = (
            select(*lane_columns, func.count())
            .where(TASK.c.state == State.READY.value, is_in_crawl(crawl))
            .group_by(*lane_columns)
            .order_by(*lane_columns)
        )
        served = self.served_lanes()

        with read_transaction(self._engine) as connection:
            counts = connection.execute(ready).all()

        blocked: Counter[str] = Counter()

        for queue, revision, number in counts:
            # tasks for a revision that no worker runs wait as long as those of no queue
            is_served = Lane(queue, revision) in served
            if not is_served and not _matches_any(queue, autoscaled_patterns):
                blocked[queue] += number

        return dict(blocked)

    def is_crawl_blocked(
        self, crawl: str, autoscaled_patterns: Sequence[str] = ()
    ) -> bool:
        """Return whether nothing of a crawl runs and no worker serves any of its ready tasks."""
        counted = (
            select(TASK.c.state, func.count())
            .where(is_in_crawl(crawl))
            .group_by(TASK.c.state)
        )

        with read_transaction(self._engine) as connection:
            counts = {row[0]: row[1] for row in connection.execute(counted).all()}

        # what runs may still spawn tasks for queues that are served
        blocked = sum(self.blocked_queues(crawl, autoscaled_patterns).values())
        ready = counts.get(State.READY.value, 0)
        running = counts.get(State.RUNNING.value, 0)

        return 0 < blocked == ready and not running


def _make_worker(row: Row[Any]) -> RegisteredWorker:
    return RegisteredWorker(
        id=row.id,
        queues=tuple(json.loads(row.queues)),
        revisions=json.loads(row.revisions),
        processes=row.processes,
        started_at=row.started_at,
        seen_at=row.seen_at,
    )


def _matches_any(queue: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(queue, pattern) for pattern in patterns)
