"""Which workers live and what they serve, and so which queues nobody serves."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Engine, delete, func, select, true

from storage.attach import CRAWL_TASK
from storage.base import upsert
from storage.engine import reading, writing
from storage.joins import TASK
from storage.ledger import State
from storage.tables import LiveWorker, table

_WORKER: Final = table(LiveWorker)
_GONE_AFTER: Final = 60.0
_FORGOTTEN_AFTER: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A worker that was seen a moment ago."""

    id: str
    """As `storage.owner` names its process."""
    queues: tuple[str, ...]
    processes: int
    started_at: float
    seen_at: float


class SqlRoster:
    """The living workers, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def beat(self, worker: str, queues: tuple[str, ...], processes: int) -> None:
        """Record that a worker lives and what it serves; to be said every few seconds."""
        now = self._clock()
        row = {"id": worker, "queues": json.dumps(queues), "processes": processes, "started_at": now, "seen_at": now}
        said = upsert(_WORKER).values(row)
        changed = {name: said.excluded[name] for name in ("queues", "processes", "seen_at")}
        with writing(self._engine) as connection:
            connection.execute(said.on_conflict_do_update(index_elements=["id"], set_=changed))
            connection.execute(delete(_WORKER).where(_WORKER.c.seen_at < now - _FORGOTTEN_AFTER))

    def leave(self, worker: str) -> None:
        """Record that a worker ends."""
        with writing(self._engine) as connection:
            connection.execute(delete(_WORKER).where(_WORKER.c.id == worker))

    def workers(self) -> tuple[Worker, ...]:
        """Return the living workers, oldest first."""
        seen = _WORKER.c.seen_at > self._clock() - _GONE_AFTER
        with reading(self._engine) as connection:
            rows = connection.execute(select(_WORKER).where(seen).order_by(_WORKER.c.started_at, _WORKER.c.id)).all()
        return tuple(
            Worker(
                id=row.id,
                queues=tuple(json.loads(row.queues)),
                processes=row.processes,
                started_at=row.started_at,
                seen_at=row.seen_at,
            )
            for row in rows
        )

    def served(self) -> dict[str, int]:
        """Return each queue that a living worker serves, with how many processes do."""
        served: Counter[str] = Counter()
        for worker in self.workers():
            served.update(dict.fromkeys(worker.queues, worker.processes))
        return dict(served)

    def blocked(self, crawl: str = "") -> dict[str, int]:
        """Return each queue that has ready tasks, of a crawl or of all, and nobody to serve it, with how many."""
        ready = select(TASK.c.queue, func.count()).where(TASK.c.state == State.READY.value, _of(crawl))
        served = self.served()
        with reading(self._engine) as connection:
            found = connection.execute(ready.group_by(TASK.c.queue).order_by(TASK.c.queue)).all()
        return {queue: number for queue, number in found if queue not in served}

    def is_blocked(self, crawl: str) -> bool:
        """Tell whether all that is left of a crawl waits for workers that are not there."""
        counted = select(TASK.c.state, func.count()).where(_of(crawl)).group_by(TASK.c.state)
        with reading(self._engine) as connection:
            states = {row[0]: row[1] for row in connection.execute(counted).all()}
        blocked = sum(self.blocked(crawl).values())
        return 0 < blocked == states.get(State.READY.value, 0) and not states.get(State.RUNNING.value)


def _of(crawl: str) -> ColumnElement[bool]:
    mine = select(CRAWL_TASK.c.task).where(CRAWL_TASK.c.crawl == crawl)
    return TASK.c.id.in_(mine) if crawl else true()
