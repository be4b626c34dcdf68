"""The task ledger in SQL: short transactions, each change of a leased task fenced by its
generation.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypedDict

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Engine,
    Integer,
    String,
    bindparam,
    cast,
    func,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from storage.database.base import upsert
from storage.database.engine import (
    AdvisoryLock,
    is_embedded,
    read_transaction,
    single_statement,
    write_transaction,
)
from storage.ledger import lease_owner as owners
from storage.ledger.claims import (
    ACTIVE_CRAWL,
    claim_dispatched_statement,
    claim_statement,
)
from storage.ledger.crawl_state import cancel, pause, resume
from storage.ledger.dependencies import (
    TASK,
    UNFINISHED_STATES,
    WAIT,
    release_dependents,
    rerun_with_dependents,
    set_dependencies,
)
from storage.ledger.enqueue import (
    CRAWL_TASK,
    attach_to_crawls,
    insert_tasks,
    reset_crawl,
)
from storage.ledger.interface import Claim, Failure, Outcome, Stage, State, TaskSpec
from storage.ledger.reclaim import reclaim
from storage.tables import Crawl, table

_CRAWL: Final = table(Crawl)
_MESSAGE_KEPT = 16 << 10

_HELD: Final = (
    TASK.c.id == bindparam("held"),
    TASK.c.generation == bindparam("fence"),
    TASK.c.state == State.RUNNING.value,
)
_CRAWLS: Final = (
    select(CRAWL_TASK.c.crawl)
    .where(CRAWL_TASK.c.task == bindparam("task"))
    .order_by(CRAWL_TASK.c.crawl)
)
_KEEP: Final = update(TASK).where(*_HELD).values(lease=bindparam("until"))
_FINISH: Final = (
    update(TASK)
    .where(*_HELD)
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
# the same in the server itself, and what waits for the task is counted there: most tasks have
# no more to tell
_FINISH_AT_ONCE: Final = select(
    func.finish_task(
        cast(bindparam("held"), Integer),
        cast(bindparam("fence"), Integer),
        cast(bindparam("outcome"), String),
        cast(bindparam("at"), Double),
    )
)
_FAIL: Final = (
    update(TASK)
    .where(*_HELD)
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


class TaskOrigin(TypedDict):
    """When tasks were asked for, by which task, and on whose account."""

    now: float
    parent: int
    account: str


class SqlLedger:
    """The ledger of tasks in an SQL database; see `LedgerPort`."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], float] = time.time,
        is_dead: Callable[[str], bool | None] = owners.is_dead,
        is_worker_lost: Callable[[str], bool] = owners.is_worker_lost,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._is_dead = is_dead
        self._is_whole = is_worker_lost
        self._opened = clock()

    def open_crawl(self, locators: tuple[str, ...], tasks: tuple[TaskSpec, ...]) -> str:
        """Record a crawl and its first tasks, and return its id."""
        crawl = _crawl_id(locators, tasks)
        now = self._clock()
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            row = {"id": crawl, "locators": json.dumps(locators), "created_at": now}
            again = upsert(_CRAWL).values(row)
            # asked for again, a crawl that was paused or cancelled goes on
            connection.execute(
                again.on_conflict_do_update(
                    index_elements=["id"], set_={"state": ACTIVE_CRAWL}
                )
            )
            reset_crawl(
                connection,
                crawl,
                insert_tasks(connection, tasks, state=State.READY, now=now),
            )
        return crawl

    def claim(
        self,
        owner: str,
        stages: tuple[Stage, ...],
        lease_seconds: float,
        crawl: str = "",
    ) -> Claim | None:
        """Lease the next ready task, or none."""
        if not stages:
            return None
        now = self._clock()
        values = {"now": now, "until": now + lease_seconds, "who": owner} | (
            {"crawl": crawl} if crawl else {}
        )
        with single_statement(self._engine) as connection:
            return _claimed(
                connection,
                claim_statement(is_embedded(self._engine), stages, bool(crawl)),
                values,
            )

    def claim_dispatched(
        self,
        owner: str,
        task: int,
        generation: int,
        lease_seconds: float,
        revisions: Mapping[Stage, str] | None = None,
    ) -> Claim | None:
        """Lease the task that a message is about, or none; with `revisions`, one for that code
        alone.
        """
        now = self._clock()
        values = {
            "now": now,
            "until": now + lease_seconds,
            "who": owner,
            "task": task,
            "fence": generation,
        }
        mine = (
            tuple((str(stage), revision) for stage, revision in revisions.items())
            if revisions
            else ()
        )
        with single_statement(self._engine) as connection:
            return _claimed(connection, claim_dispatched_statement(mine), values)

    def extend_lease(self, claim: Claim, lease_seconds: float) -> bool:
        """Prolong the lease; false when it was lost."""
        with single_statement(self._engine) as connection:
            return (
                connection.execute(
                    _KEEP, _fence(claim, until=self._clock() + lease_seconds)
                ).rowcount
                == 1
            )

    def finish(self, claim: Claim, outcome: Outcome) -> bool:
        """End the task as done, with what follows from it; false when fenced off."""
        now = self._clock()
        done = _fence(claim, outcome=outcome.result, at=now)
        if not (outcome.children or outcome.continuation or is_embedded(self._engine)):
            with single_statement(self._engine) as connection:
                return bool(connection.scalar(_FINISH_AT_ONCE, done))
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            found = connection.execute(_FINISH, done).first()
            if found is None:
                return False
            asked: TaskOrigin = {
                "now": now,
                "parent": claim.id,
                "account": found.account,
            }
            children = insert_tasks(
                connection, outcome.children, state=State.READY, **asked
            )
            follower = (outcome.continuation,) if outcome.continuation else ()
            joins = insert_tasks(connection, follower, state=State.WAITING, **asked)
            for join in joins:
                set_dependencies(connection, join, children)
            if children or joins:
                attach_to_crawls(
                    connection,
                    connection.scalars(_CRAWLS, {"task": claim.id}).all(),
                    [*children, *joins],
                )
            release_dependents(connection, claim.id)
        return True

    def fail(
        self,
        claim: Claim,
        code: str,
        message: str,
        *,
        rejected: bool = False,
        retry_in: float | None = None,
    ) -> bool:
        """End the task without success, or put it back for later; false when fenced off."""
        now = self._clock()
        state = (
            State.READY
            if retry_in is not None
            else State.REJECTED
            if rejected
            else State.FAILED
        )
        values = {"to": state.value, "why": code, "text": message[-_MESSAGE_KEPT:]}
        later = {
            "again": now + (retry_in or 0.0),
            "at": 0.0 if retry_in is not None else now,
        }
        with write_transaction(
            self._engine, AdvisoryLock.TASKS, shared=True
        ) as connection:
            if not connection.execute(_FAIL, _fence(claim, **values, **later)).rowcount:
                return False
            if retry_in is None:
                release_dependents(connection, claim.id)
        return True

    def children_results(self, claim: Claim) -> tuple[tuple[str, str], ...]:
        """Return (payload, result) of every child that this task waited for and that is done."""
        statement = (
            select(TASK.c.payload, TASK.c.result)
            .join_from(WAIT, TASK, TASK.c.id == WAIT.c.child)
            .where(WAIT.c.task == claim.id, TASK.c.state == State.DONE.value)
            .order_by(TASK.c.id)
        )
        with read_transaction(self._engine) as connection:
            return tuple(
                (payload, result) for payload, result in connection.execute(statement)
            )

    def reclaim(
        self,
        *,
        blameless: bool = False,
        since: float | None = None,
        ending_worker: int = 0,
    ) -> int:
        """Return what dead or silent owners hold to `ready`; see `storage.ledger.reclaim`."""
        return reclaim(
            self._engine,
            now=self._clock(),
            opened_at=self._opened if since is None else since,
            is_dead=self._is_dead,
            is_worker_lost=self._is_whole,
            blameless=blameless,
            is_ending=lambda owner: (
                bool(ending_worker) and owners.belongs_to_worker(owner, ending_worker)
            ),
        )

    def pause(self, crawl: str) -> bool:
        """Let no more tasks of the crawl be claimed."""
        return pause(self._engine, crawl)

    def resume(self, crawl: str) -> bool:
        """Let its tasks be claimed again, cancelled ones included."""
        return resume(self._engine, crawl)

    def crawl_state(self, crawl: str) -> str:
        """Return `active`, `paused` or `cancelled`; empty for what is no crawl."""
        with read_transaction(self._engine) as connection:
            return (
                connection.scalar(select(_CRAWL.c.state).where(_CRAWL.c.id == crawl))
                or ""
            )

    def cancel(self, crawl: str) -> int:
        """End what no other crawl wants of it as `cancelled`."""
        return cancel(self._engine, crawl, self._clock())

    def count_unfinished(self, crawl: str, stages: tuple[Stage, ...] = ()) -> int:
        """Count the crawl's tasks of `stages`, or of all, that are waiting, ready or running."""
        wanted = (
            (TASK.c.stage.in_([stage.value for stage in stages]),) if stages else ()
        )
        statement = (
            select(func.count())
            .select_from(TASK)
            .where(TASK.c.state.in_(UNFINISHED_STATES), _of(crawl), *wanted)
        )
        with read_transaction(self._engine) as connection:
            return connection.scalar(statement) or 0

    def task_counts(self, crawl: str = "") -> tuple[tuple[Stage, State, str, int], ...]:
        """Return (stage, state, code, number), in the order of the pipeline."""
        groups = TASK.c.stage, TASK.c.state, TASK.c.code
        statement = select(*groups, func.count()).where(_of(crawl)).group_by(*groups)
        with read_transaction(self._engine) as connection:
            rows = [
                (Stage(row[0]), State(row[1]), row[2], row[3])
                for row in connection.execute(statement)
            ]
        order = list(Stage)
        return tuple(
            sorted(rows, key=lambda row: (order.index(row[0]), row[1], row[2]))
        )

    def failures(self, crawl: str = "") -> tuple[Failure, ...]:
        """Return the tasks that failed or were rejected, oldest first."""
        ends = State.FAILED.value, State.REJECTED.value
        columns = (
            TASK.c.id,
            TASK.c.stage,
            TASK.c.subject,
            TASK.c.state,
            TASK.c.code,
            TASK.c.message,
            TASK.c.attempt,
        )
        statement = (
            select(*columns)
            .where(TASK.c.state.in_(ends), _of(crawl))
            .order_by(TASK.c.ended_at, TASK.c.id)
        )
        with read_transaction(self._engine) as connection:
            return tuple(_failure(row) for row in connection.execute(statement))

    def results(self, stage: Stage, crawl: str = "") -> tuple[tuple[str, str], ...]:
        """Return (subject, result) of the tasks of `stage` that are done, of a crawl or of all,
        by their ids.
        """
        done = TASK.c.stage == stage.value, TASK.c.state == State.DONE.value, _of(crawl)
        with read_transaction(self._engine) as connection:
            found = connection.execute(
                select(TASK.c.subject, TASK.c.result).where(*done).order_by(TASK.c.id)
            )
            return tuple((row.subject, row.result) for row in found)

    def root_payloads(self, stage: Stage) -> tuple[str, ...]:
        """Return the payloads of the tasks of `stage` that no other task asked for, oldest
        first.
        """
        mine = (
            select(TASK.c.payload)
            .where(TASK.c.stage == stage.value, TASK.c.parent.is_(None))
            .order_by(TASK.c.id)
        )
        with read_transaction(self._engine) as connection:
            return tuple(connection.scalars(mine))

    def retry(self, *, crawl: str = "", code: str = "") -> int:
        """Make failed tasks ready again, and every join that they feed wait for them."""
        states = (
            (State.FAILED.value, State.REJECTED.value)
            if code
            else (State.FAILED.value,)
        )
        named = (TASK.c.code == code,) if code else ()
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            statement = select(TASK.c.id).where(
                TASK.c.state.in_(states), *named, _of(crawl)
            )
            failed = list(connection.scalars(statement))
            rerun_with_dependents(connection, failed)
        return len(failed)


def _crawl_id(locators: tuple[str, ...], tasks: tuple[TaskSpec, ...]) -> str:
    # not the stages' versions: the same question asked of a newer Kernelset is the same crawl
    asked = [
        sorted(set(locators)),
        sorted((spec.stage.value, spec.key) for spec in tasks),
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:12]


def _fence(claim: Claim, **values: Any) -> dict[str, Any]:
    return {"held": claim.id, "fence": claim.generation, **values}


def _of(crawl: str) -> ColumnElement[bool]:
    # in no crawl is what another version of a stage once asked for
    members = select(CRAWL_TASK.c.task)
    return TASK.c.id.in_(
        members.where(CRAWL_TASK.c.crawl == crawl) if crawl else members
    )


def _failure(row: Any) -> Failure:
    return Failure(
        id=row.id,
        stage=Stage(row.stage),
        subject=row.subject,
        state=State(row.state),
        code=row.code,
        message=row.message,
        attempts=row.attempt,
    )


def _claimed(
    connection: Connection, statement: ReturningUpdate[Any], values: dict[str, object]
) -> Claim | None:
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
