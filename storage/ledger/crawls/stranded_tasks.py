"""Tasks that only another code revision may run: find them, restart their crawls or adopt them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    bindparam,
    exists,
    select,
    tuple_,
    update,
)

from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.ledger.crawls.crawl_membership import ACTIVE_CRAWL, TASKS_OF_CRAWLS
from storage.ledger.enqueue import attach_to_crawls, insert_tasks, reset_crawl
from storage.ledger.interface import Lane, Stage, State, TaskSpec
from storage.ledger.task_queries import IS_READY
from storage.tables import CRAWL, CRAWL_TASK, SPAWN, TASK

_LANE: Final = TASK.c.queue, TASK.c.revision
# a loose index scan: one step into the index for each lane, however many tasks it has
_NEXT_LANE: Final = (
    select(*_LANE)
    .where(IS_READY, tuple_(*_LANE) > tuple_(bindparam("queue"), bindparam("revision")))
    .order_by(*_LANE)
    .limit(1)
)
_TWIN: Final = select(TASK.c.id).where(
    TASK.c.stage == bindparam("stage"),
    TASK.c.key == bindparam("key"),
    TASK.c.stage_version == bindparam("wanted"),
)


class SqlStrandedTasks:
    """Queries and changes of the ledger while two revisions of our code are at work."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def ready_lanes(self) -> tuple[Lane, ...]:
        """Return the lanes that have ready tasks."""
        lanes: list[Lane] = []
        last = Lane("")

        with read_transaction(self._engine) as connection:
            while True:
                row = connection.execute(_NEXT_LANE, last._asdict()).first()
                if row is None:
                    return tuple(lanes)

                last = Lane(*row)
                lanes.append(last)

    def stranded_crawls(
        self, lane: Lane, own_revisions: Mapping[Stage, str]
    ) -> tuple[str, ...]:
        """Return the active crawls with ready tasks in `lane` that no other code works on.

        A crawl with a running task of another revision than `own_revisions` is not stranded.
        """
        active_tasks = TASKS_OF_CRAWLS.join(CRAWL, CRAWL.c.id == CRAWL_TASK.c.crawl)
        waiting_crawls = (
            select(CRAWL.c.id)
            .select_from(active_tasks)
            .where(
                TASK.c.queue == lane.queue,
                TASK.c.revision == lane.revision,
                IS_READY,
                CRAWL.c.state == ACTIVE_CRAWL,
            )
            .distinct()
            .order_by(CRAWL.c.id)
        )
        own = [(str(stage), revision) for stage, revision in own_revisions.items()]
        busy_crawls = (
            select(CRAWL_TASK.c.crawl)
            .select_from(TASKS_OF_CRAWLS)
            .where(
                TASK.c.state == State.RUNNING.value,
                TASK.c.revision != "",
                tuple_(TASK.c.stage, TASK.c.revision).not_in(own),
            )
        )

        with read_transaction(self._engine) as connection:
            busy = set(connection.scalars(busy_crawls))
            crawls = connection.scalars(waiting_crawls)
            return tuple(crawl for crawl in crawls if crawl not in busy)

    def root_tasks(self, crawl: str) -> tuple[TaskSpec, ...]:
        """Return the tasks of a crawl that none of its tasks spawned."""
        # spawned by a task of the same crawl: another crawl may have spawned a root of this one
        parent = CRAWL_TASK.alias()
        is_parent = parent.c.task == SPAWN.c.spawned_by
        spawns = select(SPAWN.c.task).join(parent, is_parent)
        is_spawned = exists(
            spawns.where(SPAWN.c.task == TASK.c.id, parent.c.crawl == crawl)
        )
        statement = (
            select(TASK)
            .select_from(TASKS_OF_CRAWLS)
            .where(CRAWL_TASK.c.crawl == crawl, ~is_spawned)
            .order_by(TASK.c.id)
        )

        with read_transaction(self._engine) as connection:
            return tuple(_make_spec(row) for row in connection.execute(statement))

    def restart_crawl(self, crawl: str, tasks: tuple[TaskSpec, ...]) -> None:
        """Make a crawl consist of `tasks` and all that they ever spawned, and of nothing else."""
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            ids = insert_tasks(connection, tasks, state=State.READY, now=self._clock())
            reset_crawl(connection, crawl, ids)

    def adopt(self, lane: Lane, version: str, revision: str) -> int:
        """Give the ready tasks of `lane` to another revision, and return how many.

        Where that revision already has the same task, the crawls get that one instead.
        """
        ready = (
            select(TASK)
            .where(TASK.c.queue == lane.queue, TASK.c.revision == lane.revision)
            .where(IS_READY)
            .order_by(TASK.c.id)
        )
        adopted = 0

        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            for task in connection.execute(ready).all():
                key = {"stage": task.stage, "key": task.key, "wanted": version}
                # the other revision may have done this task already
                twin = connection.scalar(_TWIN, key)
                if twin is not None:
                    _replace_in_crawls(connection, task.id, twin)
                    continue

                _change_revision(connection, task.id, version, revision)
                adopted += 1

        return adopted


def _change_revision(
    connection: Connection, task: int, version: str, revision: str
) -> None:
    adopted = update(TASK).where(TASK.c.id == task)
    connection.execute(
        adopted.values(
            # a message about it was for the other revision
            generation=TASK.c.generation + 1,
            stage_version=version,
            revision=revision,
            sent_at=0.0,
        )
    )


def _replace_in_crawls(connection: Connection, task: int, twin: int) -> None:
    crawls = select(CRAWL_TASK.c.crawl).where(CRAWL_TASK.c.task == task)
    attach_to_crawls(connection, connection.scalars(crawls).all(), [twin])
    connection.execute(CRAWL_TASK.delete().where(CRAWL_TASK.c.task == task))


def _make_spec(row: Row[Any]) -> TaskSpec:
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
