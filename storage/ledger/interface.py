"""Interface of the task ledger: stages, states, tasks, claims and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from storage.ledger.crawls.crawl_summary import CrawlSummary
from storage.ledger.quotas.quota import NO_USE, Use


class Stage(StrEnum):
    """The stages, in the order of the pipeline; behind them what no crawl leads to."""

    LIST = "list"
    CLONE = "clone"
    BUILD_DB = "build-db"
    EXTRACT = "extract"
    LINK = "link"
    PORT = "port"
    VALIDATE = "validate"
    VALIDATE_CPU = "validate.cpu"
    VALIDATE_DEVICE = "validate.device"
    JUDGE = "judge"


class State(StrEnum):
    """The states of a task."""

    WAITING = "waiting"
    """Waits for its children to end."""
    READY = "ready"
    """Can be claimed from `not_before` on."""
    RUNNING = "running"
    """Leased."""
    DONE = "done"
    REJECTED = "rejected"
    """An expected end (`crawler.errors.Rejected`): recorded, not an error of the run."""
    FAILED = "failed"
    """Failed for good: the code says why."""
    CANCELLED = "cancelled"

    @property
    def is_finished(self) -> bool:
        """Whether a task in this state has ended, with success or without."""
        return self not in (State.WAITING, State.READY, State.RUNNING)


UNFINISHED_STATES: Final = tuple(state for state in State if not state.is_finished)


class Lane(NamedTuple):
    """The tasks of a queue for one revision of our code; without one, those for any revision."""

    queue: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task to insert; two of the same (stage, key, version) are one task."""

    stage: Stage
    key: str
    """Digest of the input."""
    version: str
    """Version of the stage's code; for `validate` also the toolchain's digest."""
    queue: str
    payload: str
    """JSON: ids only, never objects that another store holds."""
    subject: str
    """Description for people: `mmcv 2.2.0`, `mmcv 2.2.0: units 1-32`."""
    revision: str = ""
    """Revision of our code that may run it: `version` without what depends on the machine;
    empty for any.
    """
    priority: int = 0
    """Larger goes first; among equals, older."""
    account: str = ""
    """Whose share of the cluster it uses; empty for the account of the task that spawns it."""
    host: str = ""
    """Server that it sends requests to, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What follows from a finished task.

    `children` are spawned at once; `continuation` runs after the last of them has ended,
    however it ended.

    A `continuation` that was already done stays so if it waited for the same children and all
    of them have ended. With other children, or after `retry` made one of them run again, it runs
    again under the same key. So what it spawns in its turn must be keyed by content, or it is
    taken for done.
    """

    children: tuple[TaskSpec, ...] = ()
    continuation: TaskSpec | None = None
    result: str = ""
    """Small JSON: counts, and digests of what was stored; later stages read it through the
    ledger.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A leased task; `generation` fences it: a claim that was reclaimed can no longer finish."""

    id: int
    generation: int
    attempt: int
    stage: Stage
    key: str
    payload: str
    subject: str
    crawls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A task that ended without success."""

    id: int
    stage: Stage
    subject: str
    state: State
    code: str
    message: str
    attempts: int


class Ledger(Protocol):
    """The ledger as the pipeline and its executors use it."""

    def open_crawl(
        self,
        locators: tuple[str, ...],
        tasks: tuple[TaskSpec, ...],
        run_queues: tuple[str, ...] | None = None,
        asked_by: str = "",
    ) -> str:
        """Record a crawl and its first tasks, and return its id; who asks first is its owner.

        The same locators and options give the same id. Tasks that exist are attached, with all
        that they spawned; failed ones stay failed. What older versions of the stages spawned is
        no longer part of the crawl; a task in no crawl at all is neither run nor counted.

        With `run_queues`, runs of kernels in other queues are no part of it.
        """
        ...

    def claim(
        self,
        owner: str,
        stages: tuple[Stage, ...],
        lease_seconds: float,
        crawl: str = "",
    ) -> Claim | None:
        """Lease the next ready task by one fenced update, or return `None`.

        `owner` is what `storage.ledger.leases.lease_owner` writes.
        """
        ...

    def claim_dispatched(
        self,
        owner: str,
        task: int,
        generation: int,
        lease_seconds: float,
        revisions: Mapping[Stage, str] | None = None,
    ) -> Claim | None:
        """Lease the task that a message is about.

        Returns `None` if it was since claimed, put off, paused or cancelled, and, with
        `revisions`, if it is for another revision of its stage's code.
        """
        ...

    def extend_lease(self, claim: Claim, lease_seconds: float) -> bool:
        """Extend the lease; false when it was lost."""
        ...

    def finish(self, claim: Claim, outcome: Outcome, use: Use = NO_USE) -> bool:
        """End the task as done, and insert or attach what follows, in one transaction.

        Its crawls are charged with `use`. Returns false when the claim was fenced off.
        """
        ...

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
        """End the task as failed or rejected, or put it back for `retry_in` seconds.

        A task that has ended releases what waited for it. Returns false when the claim was
        fenced off.
        """
        ...

    def children_results(self, claim: Claim) -> tuple[tuple[str, str], ...]:
        """Return (payload, result) of every child that this task waited for and that is done.

        They are ordered by task id.
        """
        ...

    def reclaim(
        self,
        *,
        blameless: bool = False,
        since: float | None = None,
        ending_worker: int = 0,
    ) -> int:
        """Give back every task whose lease has expired or whose owner on this host is dead.

        So are the tasks of the worker with the pid `ending_worker` of this host, whose
        processes still live. Returns how many.

        A task whose owner died twice fails with the code `killed-its-worker`. Owners that
        leased it before `since` (default: when this ledger was opened), or that died together
        with their worker, count apart, up to twenty: there a whole run was killed, for which
        the task is hardly to blame. If `blameless`, nothing is counted: we ended the owners
        ourselves.
        """
        ...

    def count_abandoned(self, crawl: str = "") -> int:
        """Count running tasks that `reclaim` would give back, of a crawl or of all."""
        ...

    def pause(self, crawl: str) -> bool:
        """Stop claims of the crawl's tasks; false where there is no such active crawl."""
        ...

    def resume(self, crawl: str) -> bool:
        """Allow claims of the crawl's tasks again, and rerun cancelled ones.

        Returns false where there is no such paused or cancelled crawl.
        """
        ...

    def crawls(self) -> tuple[CrawlSummary, ...]:
        """Return all crawls, those that were asked for last first."""
        ...

    def run_queues(self, crawls: tuple[str, ...]) -> tuple[str, ...]:
        """Return the queues in which any of `crawls` wants its kernels to run, by name."""
        ...

    def crawl_state(self, crawl: str) -> str:
        """Return `active`, `paused`, `cancelled` or `over-quota`; empty for an unknown crawl."""
        ...

    def cancel(self, crawl: str) -> int:
        """Cancel the crawl's unfinished tasks that no other crawl wants; returns how many.

        Running tasks are fenced off.
        """
        ...

    def count_unfinished(self, crawl: str, stages: tuple[Stage, ...] = ()) -> int:
        """Count the crawl's unfinished tasks of `stages`, or of all stages."""
        ...

    def task_counts(self, crawl: str = "") -> tuple[tuple[Stage, State, str, int], ...]:
        """Return (stage, state, code, number) of the tasks of a crawl, or of all."""
        ...

    def failures(self, crawl: str = "") -> tuple[Failure, ...]:
        """Return the tasks that failed or were rejected, oldest first."""
        ...

    def results(self, stage: Stage, crawl: str = "") -> tuple[tuple[str, str], ...]:
        """Return (subject, result) of the tasks of `stage` that are done, ordered by id.

        They are those of a crawl, or of all.
        """
        ...

    def root_payloads(self, stage: Stage) -> tuple[str, ...]:
        """Return the payloads of the tasks of `stage` that no task spawned, oldest first."""
        ...

    def retry(self, *, crawl: str = "", code: str = "") -> int:
        """Make failed tasks, and all that depend on them, run again; returns how many failed.

        A `code` narrows to tasks that ended with it, rejected ones included.
        """
        ...
