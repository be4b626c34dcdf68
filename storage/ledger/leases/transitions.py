"""Fenced statements that end a claim: extend its lease, finish it, fail it or put it back."""

from __future__ import annotations

from typing import Any, Final, TypedDict

from sqlalchemy import (
    Connection,
    bindparam,
    select,
    update,
)

from storage.ledger.dependencies import set_dependencies
from storage.ledger.enqueue import attach_to_crawls, insert_tasks
from storage.ledger.interface import Claim, Outcome, State
from storage.tables import CRAWL_TASK, TASK

# a claim that was reclaimed has another generation now
_IS_HELD: Final = (
    TASK.c.id == bindparam("held"),
    TASK.c.generation == bindparam("fence"),
    TASK.c.state == State.RUNNING.value,
)
EXTEND_LEASE: Final = update(TASK).where(*_IS_HELD).values(lease=bindparam("until"))
FINISH: Final = (
    update(TASK)
    .where(*_IS_HELD)
    .values(
        state=State.DONE.value,
        sent_at=0.0,
        owner="",
        lease=0.0,
        code="",
        message="",
        result=bindparam("outcome"),
        ended_at=bindparam("at"),
    )
    .returning(TASK.c.account)
)
FAIL: Final = (
    update(TASK)
    .where(*_IS_HELD)
    .values(
        state=bindparam("to"),
        owner="",
        lease=0.0,
        code=bindparam("why"),
        message=bindparam("text"),
        not_before=bindparam("again"),
        sent_at=0.0,
        ended_at=bindparam("at"),
    )
)
_CRAWLS_OF_TASK: Final = (
    select(CRAWL_TASK.c.crawl)
    .where(CRAWL_TASK.c.task == bindparam("task"))
    .order_by(CRAWL_TASK.c.crawl)
)


class TaskOrigin(TypedDict):
    """When tasks were spawned, by which task, and on whose account."""

    now: float
    parent: int
    account: str


def fence(claim: Claim, **values: Any) -> dict[str, Any]:
    """Return `values` with the parameters that fence a statement to `claim`."""
    return {"held": claim.id, "fence": claim.generation, **values}


def spawn_outcome(
    connection: Connection, claim: Claim, outcome: Outcome, origin: TaskOrigin
) -> None:
    """Insert what follows a finished task, and attach it to the task's crawls."""
    children = insert_tasks(connection, outcome.children, state=State.READY, **origin)
    continuations = (outcome.continuation,) if outcome.continuation else ()
    waiting = insert_tasks(connection, continuations, state=State.WAITING, **origin)

    if not children and not waiting:
        return

    # first of all: a task that no crawl wants is not made ready
    crawls = connection.scalars(_CRAWLS_OF_TASK, {"task": claim.id}).all()
    attach_to_crawls(connection, crawls, [*children, *waiting])

    # a continuation may be known already, with other children
    for task in waiting:
        set_dependencies(connection, task, children)
