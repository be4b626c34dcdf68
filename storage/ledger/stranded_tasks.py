"""Tasks that only another code revision may perform: find them, restart their crawls or adopt
them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    exists,
    literal_column,
    select,
    tuple_,
    update,
)

from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.ledger.claims import ACTIVE_CRAWL, CRAWL
from storage.ledger.dependencies import TASK
from storage.ledger.enqueue import (
    CRAWL_TASK,
    SPAWN,
    attach_to_crawls,
    insert_tasks,
    reset_crawl,
)
from storage.ledger.interface import Lane, Stage, State, TaskSpec

_READY: Final = TASK.c.state == literal_column(f"'{State.READY}'")
_LANE: Final = TASK.c.queue, TASK.c.revision
# one step into the index for each lane, however many tasks it has
_NEXT: Final = (
    select(*_LANE)
    .where(_READY, tuple_(*_LANE) > tuple_(bindparam("queue"), bindparam("revision")))
    .order_by(*_LANE)
    .limit(1)
)
_TWIN: Final = select(TASK.c.id).where(
    TASK.c.stage == bindparam("stage"),
    TASK.c.key == bindparam("key"),
    TASK.c.stage_version == bindparam("wanted"),
)
_MEMBERS: Final = CRAWL_TASK.join(TASK, TASK.c.id == CRAWL_TASK.c.task)


class SqlStrandedTasks:
    """What is asked of the ledger where two revisions of our code are at work."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def ready_lanes(self) -> tuple[Lane, ...]:
        """Return the lanes that have ready tasks."""
        found: list[Lane] = []
        with read_transaction(self._engine) as connection:
            last = Lane("")
            while row := connection.execute(_NEXT, last._asdict()).first():
                last = Lane(*row)
                found.append(last)
        return tuple(found)

    def stranded_crawls(
        self, lane: Lane, own_revisions: Mapping[Stage, str]
    ) -> tuple[str, ...]:
        """Return the active crawls that have ready tasks in `lane`, and nothing at work for
        other code than `own_revisions`.
        """
        waits = (
            TASK.c.queue == lane.queue,
            TASK.c.revision == lane.revision,
            _READY,
            CRAWL.c.state == ACTIVE_CRAWL,
        )
        joined = _MEMBERS.join(CRAWL, CRAWL.c.id == CRAWL_TASK.c.crawl)
        found = (
            select(CRAWL.c.id)
            .select_from(joined)
            .where(*waits)
            .distinct()
            .order_by(CRAWL.c.id)
        )
        known = [(str(stage), revision) for stage, revision in own_revisions.items()]
        foreign = (
            TASK.c.state == State.RUNNING.value,
            TASK.c.revision != "",
            tuple_(TASK.c.stage, TASK.c.revision).not_in(known),
        )
        at_work = select(CRAWL_TASK.c.crawl).select_from(_MEMBERS).where(*foreign)
        with read_transaction(self._engine) as connection:
            busy = set(connection.scalars(at_work))
            return tuple(
                crawl for crawl in connection.scalars(found) if crawl not in busy
            )

    def root_tasks(self, crawl: str) -> tuple[TaskSpec, ...]:
        """Return the tasks of a crawl that none of its tasks asked for."""
        other = CRAWL_TASK.alias()
        asker = select(SPAWN.c.task).join(other, other.c.task == SPAWN.c.spawned_by)
        asked = exists(asker.where(SPAWN.c.task == TASK.c.id, other.c.crawl == crawl))
        chosen = (
            select(TASK)
            .select_from(_MEMBERS)
            .where(CRAWL_TASK.c.crawl == crawl, ~asked)
            .order_by(TASK.c.id)
        )
        with read_transaction(self._engine) as connection:
            return tuple(_spec(row) for row in connection.execute(chosen))

    def restart_crawl(self, crawl: str, tasks: tuple[TaskSpec, ...]) -> None:
        """Make a crawl of `tasks` and all that they ever spawned, and of nothing else."""
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            reset_crawl(
                connection,
                crawl,
                insert_tasks(connection, tasks, state=State.READY, now=self._clock()),
            )

    def adopt(self, lane: Lane, version: str, revision: str) -> int:
        """Make the ready tasks of `lane` another revision's, and return how many.

        Crawls that have one which is there for that revision already get that one instead.
        """
        mine = TASK.c.queue == lane.queue, TASK.c.revision == lane.revision, _READY
        adopted = 0
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            for row in connection.execute(
                select(TASK).where(*mine).order_by(TASK.c.id)
            ).all():
                twin = connection.scalar(
                    _TWIN, {"stage": row.stage, "key": row.key, "wanted": version}
                )
                if twin is None:
                    values = {
                        "stage_version": version,
                        "revision": revision,
                        "sent_at": 0.0,
                    }
                    fenced = (
                        update(TASK)
                        .where(TASK.c.id == row.id)
                        .values(generation=TASK.c.generation + 1, **values)
                    )
                    connection.execute(fenced)
                    adopted += 1
                else:
                    _replace(connection, row.id, twin)
        return adopted


def _replace(connection: Connection, task: int, twin: int) -> None:
    crawls = connection.scalars(
        select(CRAWL_TASK.c.crawl).where(CRAWL_TASK.c.task == task)
    ).all()
    attach_to_crawls(connection, crawls, [twin])
    connection.execute(CRAWL_TASK.delete().where(CRAWL_TASK.c.task == task))


def _spec(row: Any) -> TaskSpec:
    return TaskSpec(
        stage=Stage(row.stage),
        key=row.key,
        version=row.stage_version,
        queue=row.queue,
        payload=row.payload,
        subject=row.subject,
        revision=row.revision,
        priority=row.priority,
        account=row.account,
        host=row.host,
    )
