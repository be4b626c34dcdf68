"""Retention: remove old crawls, and the tasks that only they had; kernels and verdicts stay.

Each step is a short transaction, so that workers go on meanwhile. What is cut short goes on the
next time: tasks of no crawl are found again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    or_,
    select,
)

from storage.database.chunks import iter_chunks
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.ledger.interface import UNFINISHED_STATES, State
from storage.ledger.quotas.charging import to_day
from storage.maintenance.commit_tasks import remove_tasks
from storage.tables import (
    CRAWL,
    CRAWL_TASK,
    CRAWL_USE,
    REQUEST,
    REVISION_TASK,
    SPAWN,
    TASK,
    WAIT,
)

_TASKS_PER_TRANSACTION: Final = 500
_IS_FINISHED: Final = TASK.c.state.not_in(UNFINISHED_STATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryResult:
    """How much an expiry removed, or would remove."""

    crawls: int
    tasks: int
    """Of a dry run, those of the crawls that no other has; some may be kept for what leads to
    them.
    """
    requests: int
    """Of who asked for what."""


def preview_expiry(engine: Engine, before: float) -> ExpiryResult:
    """Return what `expire` would remove; nothing is changed."""
    with read_transaction(engine) as connection:
        crawls = _find_old_crawls(connection, before)
        tasks: set[int] = set()
        for crawl in crawls:
            tasks.update(connection.scalars(_select_own_tasks(crawl, crawls)))
        old_requests = select(func.count()).where(REQUEST.c.asked_at < before)
        requests = connection.scalar(old_requests) or 0

    return ExpiryResult(crawls=len(crawls), tasks=len(tasks), requests=requests)


def expire(engine: Engine, before: float) -> ExpiryResult:
    """Remove the crawls that ended before that time, and with them the tasks that nobody needs.

    A crawl that was asked for, or had a task that ended, since then stays; so does one with
    anything left to do. What they used stays as long for the quotas of their owners.
    """
    with read_transaction(engine) as connection:
        candidates = _find_old_crawls(connection, before)

    crawls = 0
    for crawl in candidates:
        with write_transaction(engine, AdvisoryLock.TASKS) as connection:
            # it may have been asked for again
            if _find_old_crawls(connection, before, crawl):
                _remove_crawl(connection, crawl)
                crawls += 1

    tasks = sum(_remove_needless_tasks(engine, before))
    with write_transaction(engine) as connection:
        is_old_use = CRAWL_USE.c.day < to_day(before)
        is_of_no_crawl = CRAWL_USE.c.crawl.not_in(select(CRAWL.c.id))
        connection.execute(delete(CRAWL_USE).where(is_old_use, is_of_no_crawl))
        old_requests = delete(REQUEST).where(REQUEST.c.asked_at < before)
        requests = connection.execute(old_requests).rowcount

    return ExpiryResult(crawls=crawls, tasks=tasks, requests=requests)


def _find_old_crawls(
    connection: Connection, before: float, crawl: str = ""
) -> list[str]:
    """Return the crawls that ended before that time, oldest first, or only `crawl` of them."""
    is_left = case((TASK.c.state.in_(UNFINISHED_STATES), 1))
    members = CRAWL.outerjoin(CRAWL_TASK, CRAWL_TASK.c.crawl == CRAWL.c.id)
    tasks = members.outerjoin(TASK, TASK.c.id == CRAWL_TASK.c.task)
    statement = (
        select(CRAWL.c.id)
        .select_from(tasks)
        .where(CRAWL.c.created_at < before)
        .group_by(CRAWL.c.id, CRAWL.c.created_at)
        .having(func.count(is_left) == 0)
        .having(func.coalesce(func.max(TASK.c.ended_at), 0) < before)
        .order_by(CRAWL.c.created_at, CRAWL.c.id)
    )
    if crawl:
        statement = statement.where(CRAWL.c.id == crawl)
    return list(connection.scalars(statement))


def _select_own_tasks(crawl: str, crawls: Sequence[str]) -> Select[Any]:
    """Return the query for the tasks of `crawl` that only `crawls` have."""
    other = CRAWL_TASK.alias()
    is_elsewhere = exists().where(
        other.c.task == CRAWL_TASK.c.task, other.c.crawl.not_in(crawls)
    )
    return select(CRAWL_TASK.c.task).where(CRAWL_TASK.c.crawl == crawl, ~is_elsewhere)


def _remove_crawl(connection: Connection, crawl: str) -> None:
    connection.execute(delete(CRAWL_TASK).where(CRAWL_TASK.c.crawl == crawl))
    connection.execute(delete(CRAWL).where(CRAWL.c.id == crawl))


def _remove_needless_tasks(engine: Engine, before: float) -> Iterator[int]:
    """Remove old tasks that nobody needs, and yield how many, a transaction at a time."""
    needless = (
        select(TASK.c.id)
        .where(*_is_needless(before))
        .order_by(TASK.c.id)
        .limit(_TASKS_PER_TRANSACTION)
    )
    while True:
        with write_transaction(engine, AdvisoryLock.TASKS) as connection:
            tasks = set(connection.scalars(needless))
            for chunk in iter_chunks(tasks):
                is_found_by = REVISION_TASK.c.task.in_(chunk)
                connection.execute(delete(REVISION_TASK).where(is_found_by))
            remove_tasks(connection, tasks)

        if not tasks:
            return
        yield len(tasks)


def _is_needless(before: float) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that nothing leads to a task, and nothing waits for it.

    A task that another spawned goes after that one: whoever asks for the other again finds it
    done, and takes what it spawned for done or on its way.
    """
    is_in_crawl = exists().where(CRAWL_TASK.c.task == TASK.c.id)
    is_spawned = exists().where(
        SPAWN.c.task == TASK.c.id, SPAWN.c.spawned_by != TASK.c.id
    )
    is_waited_for = exists().where(WAIT.c.child == TASK.c.id)
    has_ended = and_(_IS_FINISHED, TASK.c.ended_at < before)
    # what was spawned for a later crawl to run, which never came
    is_forgotten = and_(
        TASK.c.state.in_((State.READY, State.WAITING)), TASK.c.created_at < before
    )
    is_old = or_(has_ended, is_forgotten)
    return is_old, ~is_in_crawl, ~is_spawned, ~is_waited_for
