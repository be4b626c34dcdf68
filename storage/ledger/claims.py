"""Fenced update statements that lease a task, in constant time whatever the length of the queue."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
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

from storage.ledger.dependencies import TASK
from storage.ledger.enqueue import CRAWL_TASK
from storage.ledger.interface import Stage, State
from storage.tables import Crawl, table

CRAWL: Final = table(Crawl)
# told along with the task: another question would cost a claim a fifth
_CRAWLS: Final = (
    select(func.aggregate_strings(CRAWL_TASK.c.crawl, ","))
    .where(CRAWL_TASK.c.task == TASK.c.id)
    .correlate(TASK)
    .scalar_subquery()
)
ACTIVE_CRAWL: Final = "active"


@lru_cache(maxsize=64)
def claim_statement(
    embedded: bool, stages: tuple[Stage, ...], for_one_crawl: bool
) -> ReturningUpdate[Any]:
    """Return the fenced update that leases the best task of `stages`.

    On Postgres the candidates are locked, and what others have locked is passed over: claims
    never wait for each other.
    """
    firsts = [_first(stage, for_one_crawl) for stage in dict.fromkeys(stages)]
    if not embedded:
        firsts = [first.with_for_update(skip_locked=True, of=TASK) for first in firsts]
    first = union_all(*(each.subquery().select() for each in firsts)).subquery()
    best = (
        select(first.c.id)
        .order_by(first.c.priority.desc(), first.c.id)
        .limit(1)
        .scalar_subquery()
    )
    return _leasing(TASK.c.id == best)


@lru_cache(maxsize=64)
def claim_dispatched_statement(
    revisions: tuple[tuple[str, str], ...],
) -> ReturningUpdate[Any]:
    """Return the fenced update that leases the task that a message is about.

    With `revisions`, pairs of a stage and a revision, one of these alone, or one that is
    anybody's.
    """
    # spelled out: a process has the same ones all its life, and as parameters they cost more
    # than all the rest
    mine = (
        and_(
            TASK.c.stage == literal_column(_quoted(stage)),
            TASK.c.revision == literal_column(_quoted(revision)),
        )
        for stage, revision in revisions
    )
    about = (
        *((or_(TASK.c.revision == "", *mine),) if revisions else ()),
        TASK.c.id == bindparam("task"),
        TASK.c.generation == bindparam("fence"),
        TASK.c.not_before <= bindparam("now"),
    )
    return _leasing(*about, active_memberships().exists())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _leasing(*wanted: ColumnElement[bool]) -> ReturningUpdate[Any]:
    return (
        update(TASK)
        .where(*wanted, TASK.c.state == State.READY.value)
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


def active_memberships() -> Select[Any]:
    """Return the query for the active crawls that a task is of."""
    joined = CRAWL_TASK.join(CRAWL, CRAWL.c.id == CRAWL_TASK.c.crawl)
    return (
        select(CRAWL_TASK.c.task)
        .select_from(joined)
        .where(CRAWL_TASK.c.task == TASK.c.id, CRAWL.c.state == ACTIVE_CRAWL)
    )


def _first(stage: Stage, narrowed: bool) -> Select[Any]:
    """Return the query for the first ready task of `stage`: one step into its index, however
    long the queue.
    """
    # spelled out: a partial index serves only a condition that the planner can see
    is_ready = TASK.c.state == literal_column(f"'{State.READY}'")
    ready = select(TASK.c.id, TASK.c.priority).where(
        TASK.c.stage == stage.value, is_ready, TASK.c.not_before <= bindparam("now")
    )
    wanted = active_memberships()
    if narrowed:
        wanted = wanted.where(CRAWL_TASK.c.crawl == bindparam("crawl"))
    return (
        ready.where(wanted.exists())
        .order_by(TASK.c.priority.desc(), TASK.c.id)
        .limit(1)
    )
