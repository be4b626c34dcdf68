"""Registry of live workers by heartbeat, the queues that they serve, and the queues that nobody
serves.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from sqlalchemy import ColumnElement, Engine, delete, func, select

from storage.database.base import upsert
from storage.database.engine import read_transaction, write_transaction
from storage.ledger.dependencies import TASK
from storage.ledger.enqueue import CRAWL_TASK
from storage.ledger.interface import Lane, State
from storage.tables import LiveWorker, table

_WORKER: Final = table(LiveWorker)
_GONE_AFTER: Final = 60.0
_FORGOTTEN_AFTER: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredWorker:
    """A worker that was seen a moment ago."""

    id: str
    """As `storage.ledger.lease_owner` names its process."""
    queues: tuple[str, ...]
    revisions: dict[str, str]
    """Of its code, by queue."""
    processes: int
    started_at: float
    seen_at: float


class SqlWorkerRegistry:
    """The living workers, in an SQL database."""

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
        """Record that a worker lives and what it serves, by which revision of its code; said
        every few seconds.
        """
        now = self._clock()
        serves = {
            "queues": json.dumps(queues),
            "revisions": json.dumps(revisions or {}),
            "processes": processes,
        }
        said = upsert(_WORKER).values(
            {"id": worker, **serves, "started_at": now, "seen_at": now}
        )
        changed = {name: said.excluded[name] for name in (*serves, "seen_at")}
        with write_transaction(self._engine) as connection:
            connection.execute(
                said.on_conflict_do_update(index_elements=["id"], set_=changed)
            )
            connection.execute(
                delete(_WORKER).where(_WORKER.c.seen_at < now - _FORGOTTEN_AFTER)
            )

    def remove_worker(self, worker: str) -> None:
        """Record that a worker ends."""
        with write_transaction(self._engine) as connection:
            connection.execute(delete(_WORKER).where(_WORKER.c.id == worker))

    def live_workers(self) -> tuple[RegisteredWorker, ...]:
        """Return the living workers, oldest first."""
        seen = _WORKER.c.seen_at > self._clock() - _GONE_AFTER
        with read_transaction(self._engine) as connection:
            rows = connection.execute(
                select(_WORKER).where(seen).order_by(_WORKER.c.started_at, _WORKER.c.id)
            ).all()
        return tuple(
            RegisteredWorker(
                id=row.id,
                queues=tuple(json.loads(row.queues)),
                revisions=json.loads(row.revisions),
                processes=row.processes,
                started_at=row.started_at,
                seen_at=row.seen_at,
            )
            for row in rows
        )

    def processes_by_queue(self) -> dict[str, int]:
        """Return each queue that a living worker serves, with how many processes do."""
        served: Counter[str] = Counter()
        for worker in self.live_workers():
            served.update(dict.fromkeys(worker.queues, worker.processes))
        return dict(served)

    def served_lanes(self) -> frozenset[Lane]:
        """Return what living workers do: of each of their queues what is anybody's, and what is
        for their code.
        """
        return frozenset(
            lane
            for worker in self.live_workers()
            for queue in worker.queues
            for lane in (Lane(queue), Lane(queue, worker.revisions.get(queue, "")))
        )

    def blocked_queues(
        self, crawl: str = "", autoscaled_patterns: Sequence[str] = ()
    ) -> dict[str, int]:
        """Return each queue that has ready tasks, of a crawl or of all, and nobody to do them,
        with how many.

        `autoscaled_patterns` are patterns of queues that get workers as soon as they have
        tasks.
        """
        lane = TASK.c.queue, TASK.c.revision
        ready = (
            select(*lane, func.count())
            .where(TASK.c.state == State.READY.value, _of(crawl))
            .group_by(*lane)
        )
        served = self.served_lanes()
        with read_transaction(self._engine) as connection:
            found = connection.execute(ready.order_by(*lane)).all()
        blocked: Counter[str] = Counter()
        for queue, revision, number in found:
            if Lane(queue, revision) not in served and not any(
                fnmatchcase(queue, each) for each in autoscaled_patterns
            ):
                blocked[queue] += number
        return dict(blocked)

    def is_crawl_blocked(
        self, crawl: str, autoscaled_patterns: Sequence[str] = ()
    ) -> bool:
        """Tell whether all that is left of a crawl waits for workers that are not there, and
        were not promised.
        """
        counted = (
            select(TASK.c.state, func.count()).where(_of(crawl)).group_by(TASK.c.state)
        )
        with read_transaction(self._engine) as connection:
            states = {row[0]: row[1] for row in connection.execute(counted).all()}
        blocked = sum(self.blocked_queues(crawl, autoscaled_patterns).values())
        return 0 < blocked == states.get(State.READY.value, 0) and not states.get(
            State.RUNNING.value
        )


def _of(crawl: str) -> ColumnElement[bool]:
    # in no crawl is what another version of a stage once asked for
    members = select(CRAWL_TASK.c.task)
    return TASK.c.id.in_(
        members.where(CRAWL_TASK.c.crawl == crawl) if crawl else members
    )
