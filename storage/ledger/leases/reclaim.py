"""Reclaim tasks of dead or silent workers, and fail those that killed their worker too often."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from sqlalchemy import Engine, bindparam, select, update

from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.ledger.crawls.crawl_membership import is_in_crawl
from storage.ledger.dependencies import release_dependents
from storage.ledger.interface import State
from storage.tables import TASK

MAX_KILLS = 2
"""How many workers a task may kill before it fails."""
MAX_INTERRUPTIONS = 20
"""How many whole runs may die while they hold a task before it fails."""
_KILLED_MESSAGE: Final = (
    "Its worker died each time that it ran (out of memory?);"
    " give it more room, then `kernelset retry`."
)

_RUNNING_TASKS: Final = (
    select(
        TASK.c.id,
        TASK.c.generation,
        TASK.c.owner,
        TASK.c.lease,
        TASK.c.leased_at,
        TASK.c.kills,
        TASK.c.interruptions,
    )
    .where(TASK.c.state == State.RUNNING.value)
    # in one order, so that two processes that reclaim at once never wait for each other
    .order_by(TASK.c.id)
)
_GIVE_BACK: Final = (
    update(TASK)
    .where(
        TASK.c.id == bindparam("held"),
        TASK.c.generation == bindparam("fence"),
        TASK.c.state == State.RUNNING.value,
        # a lease that was extended in the meantime is alive
        TASK.c.lease == bindparam("seen"),
    )
    .values(
        state=bindparam("to"),
        owner="",
        lease=0.0,
        kills=bindparam("killed"),
        interruptions=bindparam("interrupted"),
        code=bindparam("why"),
        message=bindparam("text"),
        ended_at=bindparam("at"),
        sent_at=0.0,
    )
)


def reclaim(
    engine: Engine,
    *,
    now: float,
    opened_at: float,
    is_dead: Callable[[str], bool | None],
    is_worker_lost: Callable[[str], bool],
    blameless: bool = False,
    is_ending: Callable[[str], bool] = lambda owner: False,
) -> int:
    """Give back every task whose lease expired or whose owner is dead or ending.

    Tasks that killed too many owners fail. Returns how many were given back or failed.

    A lease that expired under a living process of this host is no kill: the process was slow,
    and is fenced off. Under a process of another host it is one: nothing there extended it.
    `is_worker_lost` says whether the worker that an owner was a process of died with it.
    """
    is_dead = cache(is_dead)
    with read_transaction(engine) as connection:
        lost = [
            row
            for row in connection.execute(_RUNNING_TASKS)
            if row.lease <= now or is_ending(row.owner) or is_dead(row.owner)
        ]

    if not lost:
        return 0

    reclaimed = 0

    with write_transaction(engine, AdvisoryLock.TASKS, shared=True) as connection:
        for row in lost:
            # `None`, for an owner on another host, counts as dead
            was_killed = is_dead(row.owner) is not False and not blameless
            was_interrupted = was_killed and (
                row.leased_at < opened_at or is_worker_lost(row.owner)
            )
            values = _give_back_values(row, was_killed, was_interrupted, now)
            if not connection.execute(_GIVE_BACK, values).rowcount:
                continue

            reclaimed += 1
            if values["to"] == State.FAILED.value:
                release_dependents(connection, row.id)

    return reclaimed


def count_abandoned(
    engine: Engine, crawl: str, now: float, is_dead: Callable[[str], bool | None]
) -> int:
    """Count the running tasks of a crawl, or of all, whose lease expired or whose owner is dead."""
    is_dead = cache(is_dead)
    running_tasks = _RUNNING_TASKS.where(is_in_crawl(crawl))
    with read_transaction(engine) as connection:
        rows = connection.execute(running_tasks).all()

    abandoned = [row for row in rows if row.lease <= now or is_dead(row.owner)]
    return len(abandoned)


def _give_back_values(
    row: Any, was_killed: bool, was_interrupted: bool, now: float
) -> dict[str, Any]:
    """Return the parameters of `_GIVE_BACK`, which count what became of the task's owner."""
    kills = row.kills
    interruptions = row.interruptions
    if was_interrupted:
        interruptions += 1
    elif was_killed:
        kills += 1

    has_failed = kills >= MAX_KILLS or interruptions >= MAX_INTERRUPTIONS

    return {
        "held": row.id,
        "fence": row.generation,
        "seen": row.lease,
        "to": State.FAILED.value if has_failed else State.READY.value,
        "killed": kills,
        "interrupted": interruptions,
        "why": "killed-its-worker" if has_failed else "",
        "text": _KILLED_MESSAGE if has_failed else "",
        "at": now if has_failed else 0.0,
    }
