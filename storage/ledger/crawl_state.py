"""Pause, resume and cancel whole crawls."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, select, update

from storage.database.engine import AdvisoryLock, write_transaction
from storage.ledger.claims import ACTIVE_CRAWL, CRAWL
from storage.ledger.dependencies import (
    TASK,
    UNFINISHED_STATES,
    iter_chunks,
    release_dependents,
    rerun_with_dependents,
)
from storage.ledger.enqueue import CRAWL_TASK
from storage.ledger.interface import State

_PAUSED = "paused"
_CANCELLED = "cancelled"


def pause(engine: Engine, crawl: str) -> bool:
    """Let no more tasks of an active crawl be claimed; false where there is none."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        paused = _become(connection, crawl, _PAUSED, ACTIVE_CRAWL)
        if paused:
            _untold(connection, crawl)
        return paused


def resume(engine: Engine, crawl: str) -> bool:
    """Let the tasks of a paused or cancelled crawl be claimed again; false where there is none."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        if not _become(connection, crawl, ACTIVE_CRAWL, _PAUSED, _CANCELLED):
            return False
        rerun_with_dependents(connection, _tasks(connection, crawl, (State.CANCELLED,)))
        # their messages came while nobody could claim them
        _untold(connection, crawl)
        return True


def cancel(engine: Engine, crawl: str, now: float) -> int:
    """End every task of the crawl that no other active or paused one has; returns how many."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        _become(connection, crawl, _CANCELLED, ACTIVE_CRAWL, _PAUSED)
        joined = CRAWL_TASK.join(CRAWL, CRAWL.c.id == CRAWL_TASK.c.crawl)
        living = (
            select(CRAWL_TASK.c.task)
            .select_from(joined)
            .where(CRAWL.c.state != _CANCELLED)
        )
        mine = _tasks(connection, crawl, UNFINISHED_STATES)
        lost: list[int] = []
        for some in iter_chunks(mine):
            shared = set(connection.scalars(living.where(CRAWL_TASK.c.task.in_(some))))
            lost += [task for task in some if task not in shared]
        for some in iter_chunks(lost):
            gone = {
                "state": State.CANCELLED.value,
                "owner": "",
                "lease": 0.0,
                "ended_at": now,
                "code": "cancelled",
            }
            fenced = {"generation": TASK.c.generation + 1, "sent_at": 0.0}
            connection.execute(
                update(TASK).where(TASK.c.id.in_(some)).values(**gone, **fenced)
            )
        for task in lost:
            release_dependents(connection, task)
        return len(lost)


def _become(connection: Connection, crawl: str, state: str, *before: str) -> bool:
    changed = (
        update(CRAWL)
        .where(CRAWL.c.id == crawl, CRAWL.c.state.in_(before))
        .values(state=state)
    )
    return bool(connection.execute(changed).rowcount)


def _untold(connection: Connection, crawl: str) -> None:
    # what was sent and cannot be claimed would hold places that others need
    for some in iter_chunks(_tasks(connection, crawl, (State.READY,))):
        connection.execute(update(TASK).where(TASK.c.id.in_(some)).values(sent_at=0.0))


def _tasks(connection: Connection, crawl: str, states: tuple[State, ...]) -> list[int]:
    joined = CRAWL_TASK.join(TASK, TASK.c.id == CRAWL_TASK.c.task)
    mine = (
        CRAWL_TASK.c.crawl == crawl,
        TASK.c.state.in_([state.value for state in states]),
    )
    return list(
        connection.scalars(
            select(TASK.c.id).select_from(joined).where(*mine).order_by(TASK.c.id)
        )
    )
