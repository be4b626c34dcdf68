"""Interface of the task ledger: stages, states, tasks, claims and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol


class Stage(StrEnum):
    """The stages, in the order of the pipeline."""

    LIST = "list"
    CLONE = "clone"
    BUILD_DB = "build-db"
    EXTRACT = "extract"
    LINK = "link"
    PORT = "port"
    VALIDATE = "validate"
    VALIDATE_CPU = "validate.cpu"
    VALIDATE_DEVICE = "validate.device"


class State(StrEnum):
    """The states of a task."""

    WAITING = "waiting"
    """For its children to end."""
    READY = "ready"
    """To be claimed, once `not_before` has come."""
    RUNNING = "running"
    """Leased."""
    DONE = "done"
    REJECTED = "rejected"
    """An expected end (`Rejected`): recorded, not an error of the run."""
    FAILED = "failed"
    """For good: the code says why."""
    CANCELLED = "cancelled"


class Lane(NamedTuple):
    """The tasks of a queue that one revision of our code may do; those without one are
    anybody's.
    """

    queue: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task to be done; two of the same (stage, key, version) are one task."""

    stage: Stage
    key: str
    """Digest of the input."""
    version: str
    """Of the stage's code; for `validate` also the toolchain's digest."""
    queue: str
    payload: str
    """JSON: ids only, never objects that another store holds."""
    subject: str
    """For people: `mmcv 2.2.0`, `mmcv 2.2.0: units 1-32`."""
    revision: str = ""
    """Of our code that may do it: `version` without what depends on the machine; empty for any."""
    priority: int = 0
    """Larger goes first; among equals, older."""
    account: str = ""
    """Whose share of the cluster it uses; empty for that of the task that asks for it."""
    host: str = ""
    """The server that it will ask, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a finished task asks for: `children` at once, `then` after the last of them has
    ended, however it ended.

    A `then` that was already done stays so if it waited for the same children and all of them
    have ended; with other
    children, or after `retry` made one of them run again, it runs again under the same key. So
    what `then` spawns in
    its turn must be keyed by content, or it is taken for done.
    """

    children: tuple[TaskSpec, ...] = ()
    continuation: TaskSpec | None = None
    result: str = ""
    """JSON, small: counts, and digests of what was stored; a later stage reads it through the
    ledger.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A leased task; `generation` fences: a claim that was reclaimed can no longer finish."""

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
    """What the pipeline and its executors ask of the ledger."""

    def open_crawl(self, locators: tuple[str, ...], tasks: tuple[TaskSpec, ...]) -> str:
        """Record a crawl and its first tasks, and return its id; the same locators and options
        give the same id.

        Tasks that exist are attached, with all that came of them; failed ones are left as they
        are. What older versions
        of the stages had asked for is no longer part of the crawl; in no crawl at all, it is
        neither run nor counted.
        """
        ...

    def claim(
        self,
        owner: str,
        stages: tuple[Stage, ...],
        lease_seconds: float,
        crawl: str = "",
    ) -> Claim | None:
        """Lease the next ready task by one fenced update, or none; `owner` is `host/boot
        id/pid/start time`.
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
        """Lease the task that a message is about, or none: it was claimed since, put off,
        paused or cancelled.

        With `revisions`, none either where it is for another revision of its stage's code than
        that.
        """
        ...

    def extend_lease(self, claim: Claim, lease_seconds: float) -> bool:
        """Prolong the lease; false when it was lost."""
        ...

    def finish(self, claim: Claim, outcome: Outcome) -> bool:
        """In one transaction: done, children inserted or attached, `then` released when due;
        false when fenced off.
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
    ) -> bool:
        """End the task as failed or rejected, or put it back until `retry_in` seconds have
        gone; releases `then`.
        """
        ...

    def children_results(self, claim: Claim) -> tuple[tuple[str, str], ...]:
        """Return (payload, result) of every child that this task waited for and that is done,
        by task id.
        """
        ...

    def reclaim(
        self,
        *,
        blameless: bool = False,
        since: float | None = None,
        ending_worker: int = 0,
    ) -> int:
        """Return to `ready` every task whose lease has run out or whose owner is a dead process
        of this host.

        So are those of the worker `ending_worker` of this host, whose processes still live.

        A task whose owner died twice is failed with the code `killed-its-worker`. Owners that
        leased it before `since`,
        by default when this ledger was opened, or that died together with the worker that they
        were a process of, count
        apart, up to twenty: then a whole run was killed, and the task is hardly to blame. If
        `blameless`, nothing is
        counted: we ended them ourselves.
        """
        ...

    def pause(self, crawl: str) -> bool:
        """Let no more tasks of the crawl be claimed; false where it is none, or not active."""
        ...

    def resume(self, crawl: str) -> bool:
        """Let its tasks be claimed again, cancelled ones included; false where it is none, or
        active.
        """
        ...

    def crawl_state(self, crawl: str) -> str:
        """Return `active`, `paused` or `cancelled`; empty for what is no crawl."""
        ...

    def cancel(self, crawl: str) -> int:
        """End what no other crawl wants of it as `cancelled`, running tasks too; returns how
        many.
        """
        ...

    def count_unfinished(self, crawl: str, stages: tuple[Stage, ...] = ()) -> int:
        """Count the crawl's tasks of `stages`, or of all, that are waiting, ready or running."""
        ...

    def task_counts(self, crawl: str = "") -> tuple[tuple[Stage, State, str, int], ...]:
        """Return (stage, state, code, number) of the crawl's tasks, or of all."""
        ...

    def failures(self, crawl: str = "") -> tuple[Failure, ...]:
        """Return the tasks that failed or were rejected, oldest first."""
        ...

    def results(self, stage: Stage, crawl: str = "") -> tuple[tuple[str, str], ...]:
        """Return (subject, result) of the tasks of `stage` that are done, of a crawl or of all,
        by their ids.
        """
        ...

    def root_payloads(self, stage: Stage) -> tuple[str, ...]:
        """Return the payloads of the tasks of `stage` that no other task asked for, oldest
        first.
        """
        ...

    def retry(self, *, crawl: str = "", code: str = "") -> int:
        """Make failed tasks ready again, and let every join that they feed wait and run again;
        returns how many failed.

        A `code` narrows to tasks that ended with it, rejected ones included.
        """
        ...
