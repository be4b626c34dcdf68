"""SQL conditions on the crawls that a task belongs to."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, or_, select

from storage.database.chunks import iter_chunks
from storage.ledger.interface import Stage
from storage.tables import CRAWL, CRAWL_TASK, TASK

ACTIVE_CRAWL: Final = "active"
PAUSED_CRAWL: Final = "paused"
CANCELLED_CRAWL: Final = "cancelled"
OVER_QUOTA_CRAWL: Final = "over-quota"
"""Held until its quota, or its owner's, has room again; also the code of why nothing is done."""
CRAWLS_OF_TASKS: Final = CRAWL_TASK.join(CRAWL, CRAWL.c.id == CRAWL_TASK.c.crawl)
TASKS_OF_CRAWLS: Final = CRAWL_TASK.join(TASK, TASK.c.id == CRAWL_TASK.c.task)
_RUN_STAGES: Final = (Stage.VALIDATE_CPU.value, Stage.VALIDATE_DEVICE.value)
"""Stages that run kernels."""


def active_memberships() -> Select[Any]:
    """Return the query for the active crawls that a row of the task table belongs to."""
    return (
        select(CRAWL_TASK.c.task)
        .select_from(CRAWLS_OF_TASKS)
        .where(CRAWL_TASK.c.task == TASK.c.id, CRAWL.c.state == ACTIVE_CRAWL)
    )


def is_in_crawl(crawl: str = "") -> ColumnElement[bool]:
    """Return the condition that a task belongs to `crawl`, or to any crawl without one.

    A task in no crawl was spawned by an older version of a stage; nobody counts it any more.
    """
    members = select(CRAWL_TASK.c.task)
    if crawl:
        members = members.where(CRAWL_TASK.c.crawl == crawl)
    return TASK.c.id.in_(members)


def read_run_queues(
    connection: Connection, crawls: Collection[str]
) -> dict[str, tuple[str, ...] | None]:
    """Return for each of `crawls` the queues in which its kernels are to run; `None` for all."""
    is_chosen = CRAWL.c.id.in_(crawls)
    statement = select(CRAWL.c.id, CRAWL.c.run_queues).where(is_chosen)
    return {
        crawl: None if queues is None else tuple(json.loads(queues))
        for crawl, queues in connection.execute(statement)
    }


def is_wanted(run_queues: Collection[str] | None) -> ColumnElement[bool]:
    """Return the condition that a task runs no kernels, or runs them in one of `run_queues`.

    Runs in other queues are spawned all the same, and belong to a later crawl that asks for them.
    """
    if run_queues is None:
        return TASK.c.id > 0  # any task
    return or_(TASK.c.stage.not_in(_RUN_STAGES), TASK.c.queue.in_(run_queues))


def find_unwanted(connection: Connection, tasks: Collection[int]) -> list[int]:
    """Return those of `tasks` whose crawls are all cancelled, oldest first.

    One in no crawl is none of them: nobody cancelled it.
    """
    memberships = select(CRAWL_TASK.c.task, CRAWL.c.state).select_from(CRAWLS_OF_TASKS)
    cancelled: set[int] = set()
    wanted_tasks: set[int] = set()

    for chunk in iter_chunks(tasks):
        in_chunk = memberships.where(CRAWL_TASK.c.task.in_(chunk))
        for task, state in connection.execute(in_chunk):
            (cancelled if state == CANCELLED_CRAWL else wanted_tasks).add(task)

    return sorted(cancelled - wanted_tasks)
