"""Tables of crawls, tasks and workers."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from storage.database.base import Base
from storage.tables.columns import foreign_id


class Crawl(Base, table=True):
    """What somebody asked for once."""

    id: str = Field(primary_key=True)
    locators: str
    """JSON list."""
    created_at: float
    state: str = Field(default="active", sa_column_kwargs={"server_default": "active"})
    """`active`, `paused` or `cancelled`: tasks that are of no active crawl are not claimed."""


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
    """Of our code that may do it; empty for any."""
    queue: str
    payload: str
    subject: str
    priority: int = 0
    account: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """What was asked for that led to this, such as `github:ROCm`: each account gets its share."""
    host: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The server that it will ask, if any."""
    state: str
    not_before: float = 0.0
    sent_at: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """When a message about it was sent, 0 for never since it is ready."""
    owner: str = ""
    lease: float = 0.0
    """When it runs out."""
    leased_at: float = 0.0
    attempt: int = 0
    generation: int = 0
    parent: int | None = foreign_id("task", default=None)
    """The task that asked for it first; `spawn` has all."""
    pending_children: int = 0
    """How many of the tasks that it waits for have not ended."""
    kills: int = 0
    """Workers that died holding it."""
    interruptions: int = 0
    """Whole runs that died while it was held."""
    code: str = ""
    message: str = ""
    result: str = ""
    created_at: float = 0.0
    ended_at: float = 0.0


class CrawlTask(Base, table=True):
    """The tasks of a crawl; a task may serve several."""

    __tablename__ = "crawl_task"
    crawl: str = foreign_id("crawl", primary_key=True)
    task: int = foreign_id("task", primary_key=True, index=True)


class Spawn(Base, table=True):
    """Which task asked for which."""

    spawned_by: int = foreign_id("task", primary_key=True)
    task: int = foreign_id("task", primary_key=True, index=True)


class Wait(Base, table=True):
    """Which task waits for which to end."""

    task: int = foreign_id("task", primary_key=True)
    child: int = foreign_id("task", primary_key=True, index=True)


class LiveWorker(Base, table=True):
    """A worker process, and what it serves; one that was not seen for a minute is gone."""

    __tablename__ = "worker"
    id: str = Field(primary_key=True)
    """As `storage.ledger.lease_owner` names it."""
    queues: str
    """JSON list."""
    revisions: str = Field(default="{}", sa_column_kwargs={"server_default": "{}"})
    """JSON: of our code, for each of them."""
    processes: int
    started_at: float
    seen_at: float
