"""The task ledger in SQL: short transactions, each change of a leased task fenced."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Engine

from storage.database.engine import (
    AdvisoryLock,
    is_embedded,
    single_statement,
    write_transaction,
)
from storage.ledger import task_queries
from storage.ledger.crawls import crawl_state
from storage.ledger.crawls.crawl_summary import CrawlSummary
from storage.ledger.dependencies import release_dependents, rerun_failed
from storage.ledger.enqueue import insert_tasks, reset_crawl
from storage.ledger.interface import (
    Claim,
    Failure,
    Outcome,
    Stage,
    State,
    TaskSpec,
)
from storage.ledger.leases import lease_owner
from storage.ledger.leases.claims import (
    claim_dispatched_statement,
    claim_statement,
    execute_claim,
)
from storage.ledger.leases.reclaim import count_abandoned, reclaim
from storage.ledger.leases.transitions import (
    EXTEND_LEASE,
    FAIL,
    FINISH,
    TaskOrigin,
    fence,
    spawn_outcome,
)
from storage.ledger.quotas.charging import (
    FINISH_ON_SERVER,
    charge_task,
    charge_values,
)
from storage.ledger.quotas.quota import NO_USE, Use

_MAX_MESSAGE_CHARACTERS: Final = 16 << 10


class SqlLedger:
    """The `Ledger` in an SQL database."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], float] = time.time,
        is_dead: Callable[[str], bool | None] = lease_owner.is_dead,
        is_worker_lost: Callable[[str], bool] = lease_owner.is_worker_lost,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._is_dead = is_dead
        self._is_worker_lost = is_worker_lost
        self._opened_at = clock()

    def open_crawl(
        self,
        locators: tuple[str, ...],
        tasks: tuple[TaskSpec, ...],
        run_queues: tuple[str, ...] | None = None,
        asked_by: str = "",
    ) -> str:
        """Record a crawl and its first tasks, and return its id."""
        crawl = crawl_state.make_crawl_id(locators, tasks, run_queues)
        now = self._clock()
        row = crawl_state.make_row(crawl, locators, now, run_queues, asked_by)

        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            crawl_state.record_crawl(connection, row)
            ids = insert_tasks(connection, tasks, state=State.READY, now=now)
            reset_crawl(connection, crawl, ids)

        return crawl

    def claim(
        self,
        owner: str,
        stages: tuple[Stage, ...],
        lease_seconds: float,
        crawl: str = "",
    ) -> Claim | None:
        """Lease the next ready task, or return `None`."""
        if not stages:
            return None

        now = self._clock()
        values: dict[str, object] = {
            "now": now,
            "until": now + lease_seconds,
            "who": owner,
        }
        if crawl:
            values["crawl"] = crawl

        embedded = is_embedded(self._engine)

        with single_statement(self._engine) as connection:
            statement = claim_statement(embedded, stages, bool(crawl))
            return execute_claim(connection, statement, values)

    def claim_dispatched(
        self,
        owner: str,
        task: int,
        generation: int,
        lease_seconds: float,
        revisions: Mapping[Stage, str] | None = None,
    ) -> Claim | None:
        """Lease the task that a message is about; with `revisions`, only one for that code."""
        now = self._clock()
        values: dict[str, object] = {
            "now": now,
            "until": now + lease_seconds,
            "who": owner,
            "task": task,
            "fence": generation,
        }
        own_revisions = tuple(
            (str(stage), revision) for stage, revision in (revisions or {}).items()
        )
        statement = claim_dispatched_statement(own_revisions)

        with single_statement(self._engine) as connection:
            return execute_claim(connection, statement, values)

    def extend_lease(self, claim: Claim, lease_seconds: float) -> bool:
        """Extend the lease; false when it was lost."""
        with single_statement(self._engine) as connection:
            until = self._clock() + lease_seconds
            extended = connection.execute(EXTEND_LEASE, fence(claim, until=until))
            return extended.rowcount == 1

    def finish(self, claim: Claim, outcome: Outcome, use: Use = NO_USE) -> bool:
        """End the task as done, and spawn what follows; false when fenced off."""
        now = self._clock()
        values = fence(claim, outcome=outcome.result, at=now)
        # SQLite has no stored functions
        spawns_nothing = not outcome.children and not outcome.continuation
        if spawns_nothing and not is_embedded(self._engine):
            with single_statement(self._engine) as connection:
                values |= charge_values(use, now)
                return bool(connection.scalar(FINISH_ON_SERVER, values))

        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            finished = connection.execute(FINISH, values).first()
            if finished is None:
                return False

            origin: TaskOrigin = {
                "now": now,
                "parent": claim.id,
                "account": finished.account,
            }
            spawn_outcome(connection, claim, outcome, origin)
            release_dependents(connection, claim.id)
            charge_task(connection, claim.id, use, now=now, has_ended=True)

        return True

    def fail(
        self,
        claim: Claim,
        code: str,
        message: str,
        *,
        rejected: bool = False,
        retry_in: float | None = None,
        use: Use = NO_USE,
    ) -> bool:
        """End the task without success, or put it back for later; false when fenced off."""
        now = self._clock()
        is_put_back = retry_in is not None
        state = State.REJECTED if rejected else State.FAILED
        if is_put_back:
            state = State.READY

        values = fence(
            claim,
            to=state.value,
            why=code,
            # the end of a message, where a tool says what it failed at
            text=message[-_MAX_MESSAGE_CHARACTERS:],
            again=now + (retry_in or 0.0),
            at=0.0 if is_put_back else now,
        )

        with write_transaction(
            self._engine, AdvisoryLock.TASKS, shared=True
        ) as connection:
            if not connection.execute(FAIL, values).rowcount:
                return False
            if not is_put_back:
                release_dependents(connection, claim.id)
            # a task that was put back and used nothing is no row: a full disk has no room for one
            if use != NO_USE or not is_put_back:
                charge_task(
                    connection, claim.id, use, now=now, has_ended=not is_put_back
                )

        return True

    def children_results(self, claim: Claim) -> tuple[tuple[str, str], ...]:
        """Return (payload, result) of every child that this task waited for and that is done."""
        return task_queries.read_children_results(self._engine, claim)

    def reclaim(
        self,
        *,
        blameless: bool = False,
        since: float | None = None,
        ending_worker: int = 0,
    ) -> int:
        """Give back what dead or silent owners hold; see `storage.ledger.leases.reclaim`."""

        def is_ending(owner: str) -> bool:
            if not ending_worker:
                return False
            return lease_owner.belongs_to_worker(owner, ending_worker)

        return reclaim(
            self._engine,
            now=self._clock(),
            opened_at=self._opened_at if since is None else since,
            is_dead=self._is_dead,
            is_worker_lost=self._is_worker_lost,
            blameless=blameless,
            is_ending=is_ending,
        )

    def count_abandoned(self, crawl: str = "") -> int:
        """Count running tasks that `reclaim` would give back, of a crawl or of all."""
        return count_abandoned(self._engine, crawl, self._clock(), self._is_dead)

    def pause(self, crawl: str) -> bool:
        """Stop claims of the crawl's tasks."""
        return crawl_state.pause(self._engine, crawl)

    def resume(self, crawl: str) -> bool:
        """Allow claims of the crawl's tasks again, and rerun cancelled ones."""
        return crawl_state.resume(self._engine, crawl)

    def crawls(self) -> tuple[CrawlSummary, ...]:
        """Return all crawls, those that were asked for last first."""
        return crawl_state.list_crawls(self._engine)

    def run_queues(self, crawls: tuple[str, ...]) -> tuple[str, ...]:
        """Return the queues in which any of `crawls` wants its kernels to run, by name."""
        return crawl_state.list_run_queues(self._engine, crawls)

    def crawl_state(self, crawl: str) -> str:
        """Return `active`, `paused`, `cancelled` or `over-quota`; empty for an unknown crawl."""
        return crawl_state.read_state(self._engine, crawl)

    def cancel(self, crawl: str) -> int:
        """Cancel the crawl's unfinished tasks that no other crawl wants."""
        return crawl_state.cancel(self._engine, crawl, self._clock())

    def count_unfinished(self, crawl: str, stages: tuple[Stage, ...] = ()) -> int:
        """Count the crawl's unfinished tasks of `stages`, or of all stages."""
        return task_queries.count_unfinished(self._engine, crawl, stages)

    def task_counts(self, crawl: str = "") -> tuple[tuple[Stage, State, str, int], ...]:
        """Return (stage, state, code, number), in the order of the pipeline."""
        return task_queries.count_tasks(self._engine, crawl)

    def failures(self, crawl: str = "") -> tuple[Failure, ...]:
        """Return the tasks that failed or were rejected, oldest first."""
        return task_queries.read_failures(self._engine, crawl)

    def results(self, stage: Stage, crawl: str = "") -> tuple[tuple[str, str], ...]:
        """Return (subject, result) of the tasks of `stage` that are done, ordered by id."""
        return task_queries.read_results(self._engine, stage, crawl)

    def root_payloads(self, stage: Stage) -> tuple[str, ...]:
        """Return the payloads of the tasks of `stage` that no task spawned, oldest first."""
        return task_queries.read_root_payloads(self._engine, stage)

    def retry(self, *, crawl: str = "", code: str = "") -> int:
        """Make failed tasks, and all that depend on them, run again; returns how many failed."""
        with write_transaction(self._engine, AdvisoryLock.TASKS) as connection:
            return rerun_failed(connection, crawl, code)
