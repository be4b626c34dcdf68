"""Reclaim tasks of dead or silent workers, and fail those that killed their worker too often."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from sqlalchemy import Engine, bindparam, select, update

from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.ledger.dependencies import TASK, release_dependents
from storage.ledger.interface import State

MAX_KILLS = 2
"""Workers that a task may take with it."""
MAX_INTERRUPTIONS = 20
"""Whole runs that may die over a task."""

_RUNNING: Final = select(
    TASK.c.id,
    TASK.c.generation,
    TASK.c.owner,
    TASK.c.lease,
    TASK.c.leased_at,
    TASK.c.kills,
    TASK.c.interruptions,
).where(TASK.c.state == State.RUNNING.value)
_GIVE_BACK: Final = (
    update(TASK)
    .where(
        TASK.c.id == bindparam("held"),
        TASK.c.generation == bindparam("fence"),
        TASK.c.state == State.RUNNING.value,
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
    """Give back every task whose lease ran out or whose owner is dead or ending; fail those
    that killed too often.

    Returns how many. A lease that ran out under a living process of this host is no kill: it
    was slow, and is fenced.
    Under one of another host it is: nobody there kept it. `is_worker_lost` tells of an owner
    whether the worker that it was a
    process of is gone too.
    """
    dead = cache(is_dead)
    with read_transaction(engine) as connection:
        # in one order, so that two who reclaim at once never wait for each other
        rows = connection.execute(_RUNNING.order_by(TASK.c.id))
        lost = [
            row
            for row in rows
            if row.lease <= now or is_ending(row.owner) or dead(row.owner)
        ]
    if not lost:
        return 0
    with write_transaction(engine, AdvisoryLock.TASKS, shared=True) as connection:
        taken = 0
        for row in lost:
            killed = dead(row.owner) is not False and not blameless
            interrupted = killed and (
                row.leased_at < opened_at or is_worker_lost(row.owner)
            )
            values = _verdict(row, killed=killed, interrupted=interrupted, now=now)
            if connection.execute(_GIVE_BACK, values).rowcount:
                taken += 1
                if values["to"] == State.FAILED.value:
                    release_dependents(connection, row.id)
    return taken


def _verdict(
    row: Any, *, killed: bool, interrupted: bool, now: float
) -> dict[str, Any]:
    kills = row.kills + (killed and not interrupted)
    interruptions = row.interruptions + (killed and interrupted)
    fatal = kills >= MAX_KILLS or interruptions >= MAX_INTERRUPTIONS
    return {
        "held": row.id,
        "fence": row.generation,
        "seen": row.lease,
        "to": State.FAILED.value if fatal else State.READY.value,
        "killed": kills,
        "interrupted": interruptions,
        "why": "killed-its-worker" if fatal else "",
        "text": _LAST_WORDS if fatal else "",
        "at": now if fatal else 0.0,
    }


_LAST_WORDS = "Its worker died each time that it ran (out of memory?); give it more room, then `kernelset retry`."
