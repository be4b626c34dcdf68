"""Tables of crawls, tasks and workers."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from storage.database.base import Base
from storage.tables.columns import foreign_id


class Crawl(Base, table=True):
    """A crawl that a user started."""

    id: str = Field(primary_key=True)
    locators: str
    """JSON list."""
    created_at: float
    state: str = Field(default="active", sa_column_kwargs={"server_default": "active"})
    """`active`, `paused`, `cancelled` or `over-quota`; a task without an active crawl is not
    claimed.
    """
    run_queues: str | None = None
    """JSON list of the queues in which its kernels are to run; NULL for all."""
    asked_by: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Who asked for it first; empty where nobody said."""
    hold_reason: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Which quota holds it, where one does."""


class Task(Base, table=True):
    """A task; one of each (stage, key, stage version)."""

    __table_args__ = (
        UniqueConstraint("stage", "key", "stage_version"),
        Index(
            "ix_task_ready",
            "stage",
            text("priority DESC"),
            "id",
            sqlite_where=text("state = 'ready'"),
            postgresql_where=text("state = 'ready'"),
        ),
        Index("ix_task_state", "state"),
        Index(
            "ix_task_dispatch",
            "queue",
            "revision",
            "account",
            text("priority DESC"),
            "id",
            sqlite_where=text("state = 'ready'"),
            postgresql_where=text("state = 'ready'"),
        ),
        Index(
            "ix_task_sent",
            "queue",
            "sent_at",
            sqlite_where=text("state = 'ready' AND sent_at > 0"),
            postgresql_where=text("state = 'ready' AND sent_at > 0"),
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    stage: str
    key: str
    stage_version: str
    revision: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Revision of our code that may run it; empty for any."""
    queue: str
    payload: str
    subject: str
    priority: int = 0
    account: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Locator that led to it, such as `github:ROCm`; dispatch is fair between accounts."""
    host: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Server that it sends requests to, if any."""
    state: str
    not_before: float = 0.0
    sent_at: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """When a message about it was sent, 0 for never since it became ready."""
    owner: str = ""
    lease: float = 0.0
    """When the lease expires, in seconds since 1970."""
    leased_at: float = 0.0
    attempt: int = 0
    generation: int = 0
    parent: int | None = foreign_id("task", default=None)
    """The task that spawned it first; table `spawn` has all."""
    pending_children: int = 0
    """How many of the tasks that it waits for are unfinished."""
    kills: int = 0
    """How many workers died while they held it."""
    interruptions: int = 0
    """How many whole runs died while it was held."""
    code: str = ""
    message: str = ""
    result: str = ""
    created_at: float = 0.0
    ended_at: float = 0.0


class CrawlTask(Base, table=True):
    """Tasks of a crawl; a task may belong to several."""

    __tablename__ = "crawl_task"
    crawl: str = foreign_id("crawl", primary_key=True)
    task: int = foreign_id("task", primary_key=True, index=True)


class Spawn(Base, table=True):
    """A task and the one that spawned it."""

    spawned_by: int = foreign_id("task", primary_key=True)
    task: int = foreign_id("task", primary_key=True, index=True)


class Wait(Base, table=True):
    """A task and one that it waits for."""

    task: int = foreign_id("task", primary_key=True)
    child: int = foreign_id("task", primary_key=True, index=True)


class LiveWorker(Base, table=True):
    """A worker process and what it serves; without a heartbeat for a minute it counts as gone."""

    __tablename__ = "worker"
    id: str = Field(primary_key=True)
    """Its lease owner, as `storage.ledger.leases.lease_owner` writes it."""
    queues: str
    """JSON list."""
    revisions: str = Field(default="{}", sa_column_kwargs={"server_default": "{}"})
    """JSON object: queue to the revision of our code that serves it."""
    processes: int
    started_at: float
    seen_at: float
