"""Fenced update statements that lease a task, in constant time whatever the queue's length."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from storage.ledger.crawls.crawl_membership import active_memberships
from storage.ledger.interface import Claim, Stage, State
from storage.tables import CRAWL_TASK, TASK

# returned along with the task: a second query would make a claim a fifth slower
_CRAWLS: Final = (
    select(func.aggregate_strings(CRAWL_TASK.c.crawl, ","))
    .where(CRAWL_TASK.c.task == TASK.c.id)
    .correlate(TASK)
    .scalar_subquery()
)


def execute_claim(
    connection: Connection, statement: ReturningUpdate[Any], values: dict[str, object]
) -> Claim | None:
    """Return the claim on the task that a statement of this module leases, if any."""
    row = connection.execute(statement, values).first()
    if row is None:
        return None

    return Claim(
        id=row.id,
        generation=row.generation,
        attempt=row.attempt,
        stage=Stage(row.stage),
        key=row.key,
        payload=row.payload,
        subject=row.subject,
        crawls=tuple(sorted((row.crawls or "").split(","))),
    )


@lru_cache(maxsize=64)
def claim_statement(
    embedded: bool, stages: tuple[Stage, ...], for_one_crawl: bool
) -> ReturningUpdate[Any]:
    """Return the fenced update that leases the best task of `stages`.

    On Postgres the candidates are locked and those that others have locked are skipped, so that
    claims never wait for each other. Parameters: `now`, `until`, `who`, and `crawl` if
    `for_one_crawl`.
    """
    firsts = [
        _select_first_ready(stage, for_one_crawl) for stage in dict.fromkeys(stages)
    ]
    if not embedded:
        firsts = [first.with_for_update(skip_locked=True, of=TASK) for first in firsts]

    subqueries = [first.subquery().select() for first in firsts]
    candidates = union_all(*subqueries).subquery()
    best = (
        select(candidates.c.id)
        .order_by(candidates.c.priority.desc(), candidates.c.id)
        .limit(1)
        .scalar_subquery()
    )

    return _lease(TASK.c.id == best)


@lru_cache(maxsize=64)
def claim_dispatched_statement(
    revisions: tuple[tuple[str, str], ...],
) -> ReturningUpdate[Any]:
    """Return the fenced update that leases the task that a message is about.

    With `revisions`, pairs of a stage and a revision, only a task for one of these or for any
    revision. Parameters: `task`, `fence`, `now`, `until` and `who`.
    """
    conditions: list[ColumnElement[bool]] = []
    if revisions:
        conditions.append(_is_for_revisions(revisions))

    conditions += [
        TASK.c.id == bindparam("task"),
        TASK.c.generation == bindparam("fence"),
        TASK.c.not_before <= bindparam("now"),
        active_memberships().exists(),
    ]
    return _lease(*conditions)


def _is_for_revisions(revisions: tuple[tuple[str, str], ...]) -> ColumnElement[bool]:
    # literals: a process serves the same revisions all its life, and binding them as
    # parameters costs more than the whole rest of a claim
    alternatives = []
    for stage, revision in revisions:
        is_stage = TASK.c.stage == literal_column(_quote(stage))
        is_revision = TASK.c.revision == literal_column(_quote(revision))
        alternatives.append(and_(is_stage, is_revision))

    return or_(TASK.c.revision == "", *alternatives)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _lease(*conditions: ColumnElement[bool]) -> ReturningUpdate[Any]:
    return (
        update(TASK)
        .where(*conditions, TASK.c.state == State.READY.value)
        .values(
            state=State.RUNNING.value,
            owner=bindparam("who"),
            lease=bindparam("until"),
            leased_at=bindparam("now"),
            attempt=TASK.c.attempt + 1,
            generation=TASK.c.generation + 1,
        )
        .returning(
            TASK.c.id,
            TASK.c.generation,
            TASK.c.attempt,
            TASK.c.stage,
            TASK.c.key,
            TASK.c.payload,
            TASK.c.subject,
            _CRAWLS.label("crawls"),
        )
    )


def _select_first_ready(stage: Stage, for_one_crawl: bool) -> Select[Any]:
    """Return the query for the first ready task of `stage`: one step into its index."""
    # a literal: the planner uses a partial index only where it can see its condition
    is_ready = TASK.c.state == literal_column(f"'{State.READY}'")
    memberships = active_memberships()
    if for_one_crawl:
        memberships = memberships.where(CRAWL_TASK.c.crawl == bindparam("crawl"))

    return (
        select(TASK.c.id, TASK.c.priority)
        .where(
            TASK.c.stage == stage.value,
            is_ready,
            TASK.c.not_before <= bindparam("now"),
        )
        .where(memberships.exists())
        .order_by(TASK.c.priority.desc(), TASK.c.id)
        .limit(1)
    )
