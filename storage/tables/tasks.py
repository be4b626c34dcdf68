"""Tables of crawls, tasks and workers."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from storage.database.base import METADATA
from storage.tables.columns import column

CRAWL: Final = Table(
    "crawl",
    METADATA,
    column("id", String, primary_key=True),
    column("locators", String, doc="JSON list."),
    column("created_at", Float),
    column(
        "state",
        String,
        default="active",
        server_default="active",
        doc="`active`, `paused` or `cancelled`; a task without an active crawl is not claimed.",
    ),
)
"""A crawl that a user started."""

TASK: Final = Table(
    "task",
    METADATA,
    column("id", Integer, primary_key=True),
    column("stage", String),
    column("key", String),
    column("stage_version", String),
    column(
        "revision",
        String,
        default="",
        server_default="",
        doc="Revision of our code that may run it; empty for any.",
    ),
    column("queue", String),
    column("payload", String),
    column("subject", String),
    column("priority", Integer, default=0),
    column(
        "account",
        String,
        default="",
        server_default="",
        doc="Locator that led to it, such as `github:ROCm`; dispatch is fair between accounts.",
    ),
    column(
        "host",
        String,
        default="",
        server_default="",
        doc="Server that it sends requests to, if any.",
    ),
    column("state", String),
    column("not_before", Float, default=0.0),
    column(
        "sent_at",
        Float,
        default=0.0,
        server_default="0",
        doc="When a message about it was sent, 0 for never since it became ready.",
    ),
    column("owner", String, default=""),
    column(
        "lease",
        Float,
        default=0.0,
        doc="When the lease expires, in seconds since 1970.",
    ),
    column("leased_at", Float, default=0.0),
    column("attempt", Integer, default=0),
    column("generation", Integer, default=0),
    column(
        "parent",
        Integer,
        ForeignKey("task.id"),
        nullable=True,
        doc="The task that spawned it first; table `spawn` has all.",
    ),
    column(
        "pending_children",
        Integer,
        default=0,
        doc="How many of the tasks that it waits for are unfinished.",
    ),
    column(
        "kills", Integer, default=0, doc="How many workers died while they held it."
    ),
    column(
        "interruptions",
        Integer,
        default=0,
        doc="How many whole runs died while it was held.",
    ),
    column("code", String, default=""),
    column("message", String, default=""),
    column("result", String, default=""),
    column("created_at", Float, default=0.0),
    column("ended_at", Float, default=0.0),
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
"""A task; one of each (stage, key, stage version)."""

CRAWL_TASK: Final = Table(
    "crawl_task",
    METADATA,
    column("crawl", String, ForeignKey("crawl.id"), primary_key=True),
    column("task", Integer, ForeignKey("task.id"), primary_key=True, index=True),
)
"""Tasks of a crawl; a task may belong to several."""

SPAWN: Final = Table(
    "spawn",
    METADATA,
    column("spawned_by", Integer, ForeignKey("task.id"), primary_key=True),
    column("task", Integer, ForeignKey("task.id"), primary_key=True, index=True),
)
"""A task and the one that spawned it."""

WAIT: Final = Table(
    "wait",
    METADATA,
    column("task", Integer, ForeignKey("task.id"), primary_key=True),
    column("child", Integer, ForeignKey("task.id"), primary_key=True, index=True),
)
"""A task and one that it waits for."""

WORKER: Final = Table(
    "worker",
    METADATA,
    column(
        "id",
        String,
        primary_key=True,
        doc="Its lease owner, as `storage.ledger.leases.lease_owner` writes it.",
    ),
    column("queues", String, doc="JSON list."),
    column(
        "revisions",
        String,
        default="{}",
        server_default="{}",
        doc="JSON object: queue to the revision of our code that serves it.",
    ),
    column("processes", Integer),
    column("started_at", Float),
    column("seen_at", Float),
)
"""A worker process and what it serves; without a heartbeat for a minute it counts as gone."""
