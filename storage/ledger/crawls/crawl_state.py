"""Identify, list, pause, resume and cancel whole crawls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, case, func, select, update

from storage.database.base import upsert
from storage.database.chunks import iter_chunks
from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    write_transaction,
)
from storage.ledger.crawls.crawl_membership import (
    ACTIVE_CRAWL,
    CANCELLED_CRAWL,
    OVER_QUOTA_CRAWL,
    PAUSED_CRAWL,
    TASKS_OF_CRAWLS,
    find_unwanted,
    read_run_queues,
)
from storage.ledger.crawls.crawl_summary import CrawlSummary
from storage.ledger.dependencies import release_dependents, rerun_with_dependents
from storage.ledger.interface import UNFINISHED_STATES, State, TaskSpec
from storage.tables import CRAWL, CRAWL_TASK, TASK

_COMPLETE_CRAWL: Final = "complete"


def make_crawl_id(
    locators: Sequence[str], tasks: Sequence[TaskSpec], run_queues: Sequence[str] | None
) -> str:
    """Return the id of a crawl; requests for the same have the same id."""
    # without the versions of the stages: the same locators given to a newer Kernelset are the
    # same crawl
    keys = sorted((spec.stage.value, spec.key) for spec in tasks)
    identity: list[object] = [sorted(set(locators)), keys]
    if run_queues is not None:
        identity.append(sorted(run_queues))
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:12]


def make_row(
    crawl: str,
    locators: Sequence[str],
    now: float,
    run_queues: Sequence[str] | None,
    asked_by: str,
) -> dict[str, Any]:
    """Return the row of a crawl that is asked for now."""
    return {
        "id": crawl,
        "locators": json.dumps(locators),
        "created_at": now,
        "run_queues": None if run_queues is None else json.dumps(run_queues),
        "asked_by": asked_by,
    }


def record_crawl(connection: Connection, row: dict[str, Any]) -> None:
    """Insert the row of a crawl; one that is there, paused or cancelled too, goes on."""
    statement = upsert(CRAWL).values(row)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["id"], set_={"state": ACTIVE_CRAWL}
        )
    )


def list_crawls(engine: Engine) -> tuple[CrawlSummary, ...]:
    """Return all crawls, those that were asked for last first."""
    with read_transaction(engine) as connection:
        rows = connection.execute(_select_crawls()).all()

    return tuple(_make_summary(row) for row in rows)


def _select_crawls() -> Select[Any]:
    is_unfinished = TASK.c.state.in_(UNFINISHED_STATES)
    has_failed = TASK.c.state == State.FAILED.value
    names = ("id", "locators", "created_at", "state", "asked_by", "hold_reason")
    columns = [CRAWL.c[name] for name in names]
    unfinished_count = func.count(case((is_unfinished, 1)))
    failed = func.count(case((has_failed, 1)))

    # a crawl of which no task is left, as after a purge, was asked for all the same
    members = CRAWL.outerjoin(CRAWL_TASK, CRAWL_TASK.c.crawl == CRAWL.c.id)
    tasks = members.outerjoin(TASK, TASK.c.id == CRAWL_TASK.c.task)
    statement = select(*columns, unfinished_count.label("left"), failed.label("failed"))
    statement = statement.select_from(tasks).group_by(*columns)

    return statement.order_by(CRAWL.c.created_at.desc(), CRAWL.c.id)


def _make_summary(row: Any) -> CrawlSummary:
    state = row.state
    if not row.left and state != CANCELLED_CRAWL:
        state = _COMPLETE_CRAWL

    return CrawlSummary(
        id=row.id,
        locators=tuple(json.loads(row.locators)),
        asked_at=row.created_at,
        state=state,
        asked_by=row.asked_by,
        hold_reason=row.hold_reason if state == OVER_QUOTA_CRAWL else "",
        left=row.left,
        failed=row.failed,
    )


def list_run_queues(engine: Engine, crawls: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the queues in which any of `crawls` wants its kernels to run, sorted.

    A crawl whose kernels run in all queues names none.
    """
    with read_transaction(engine) as connection:
        queues_per_crawl = read_run_queues(connection, crawls)

    names: set[str] = set()
    for queues in queues_per_crawl.values():
        names.update(queues or ())
    return tuple(sorted(names))


def read_state(engine: Engine, crawl: str) -> str:
    """Return the state as it is stored; empty for an unknown crawl."""
    state = select(CRAWL.c.state).where(CRAWL.c.id == crawl)
    with read_transaction(engine) as connection:
        return connection.scalar(state) or ""


def pause(engine: Engine, crawl: str) -> bool:
    """Stop claims of an active or a held crawl's tasks; false where there is no such crawl."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        is_paused = _change_state(
            connection, crawl, PAUSED_CRAWL, ACTIVE_CRAWL, OVER_QUOTA_CRAWL
        )
        if is_paused:
            forget_messages(connection, crawl)
        return is_paused


def resume(engine: Engine, crawl: str) -> bool:
    """Allow claims of a paused or cancelled crawl's tasks; false where there is no such crawl."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        is_resumed = _change_state(
            connection, crawl, ACTIVE_CRAWL, PAUSED_CRAWL, CANCELLED_CRAWL
        )
        if not is_resumed:
            return False

        cancelled = _select_tasks(connection, crawl, (State.CANCELLED,))
        rerun_with_dependents(connection, cancelled)
        # their messages arrived while nobody could claim them
        forget_messages(connection, crawl)

        return True


def cancel(engine: Engine, crawl: str, now: float) -> int:
    """Cancel every task of the crawl that no other active or paused one has; returns how many."""
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        states_before = (ACTIVE_CRAWL, PAUSED_CRAWL, OVER_QUOTA_CRAWL)
        _change_state(connection, crawl, CANCELLED_CRAWL, *states_before)
        unfinished = _select_tasks(connection, crawl, UNFINISHED_STATES)
        unwanted = find_unwanted(connection, unfinished)
        _mark_cancelled(connection, unwanted, now)

        for task in unwanted:
            release_dependents(connection, task)

        return len(unwanted)


def _mark_cancelled(connection: Connection, tasks: Sequence[int], now: float) -> None:
    for chunk in iter_chunks(tasks):
        cancelled = update(TASK).where(TASK.c.id.in_(chunk))
        connection.execute(
            cancelled.values(
                state=State.CANCELLED.value,
                owner="",
                lease=0.0,
                ended_at=now,
                code="cancelled",
                # whoever holds one of them can no longer end it
                generation=TASK.c.generation + 1,
                sent_at=0.0,
            )
        )


def _change_state(
    connection: Connection, crawl: str, state: str, *states_before: str
) -> bool:
    """Change the state of a crawl that is in one of `states_before`; false if it is not."""
    statement = (
        update(CRAWL)
        .where(CRAWL.c.id == crawl, CRAWL.c.state.in_(states_before))
        .values(state=state)
    )
    return bool(connection.execute(statement).rowcount)


def forget_messages(connection: Connection, crawl: str) -> None:
    """Count no message about a ready task of the crawl as sent any more."""
    # a message that nobody can claim would hold a place of the dispatch window
    for chunk in iter_chunks(_select_tasks(connection, crawl, (State.READY,))):
        sent = update(TASK).where(TASK.c.id.in_(chunk))
        connection.execute(sent.values(sent_at=0.0))


def _select_tasks(
    connection: Connection, crawl: str, states: Sequence[State]
) -> list[int]:
    """Return the tasks of a crawl in any of `states`, oldest first."""
    statement = (
        select(TASK.c.id)
        .select_from(TASKS_OF_CRAWLS)
        .where(CRAWL_TASK.c.crawl == crawl)
        .where(TASK.c.state.in_([state.value for state in states]))
        .order_by(TASK.c.id)
    )
    return list(connection.scalars(statement))
