"""Tables of listed repositories and of what sources remember."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Float, LargeBinary, String, Table

from storage.database.base import BIG_INTEGER, METADATA
from storage.tables.columns import column

MEMORY: Final = Table(
    "memory",
    METADATA,
    column("key", String, primary_key=True),
    column("value", LargeBinary),
    column("remembered_at", Float),
)
"""What a source remembers of a server: its answers, and until when it must not be asked."""

REPOSITORY: Final = Table(
    "repository",
    METADATA,
    column("source", String, primary_key=True),
    column(
        "id",
        String,
        primary_key=True,
        doc="The host's own number, which survives a rename.",
    ),
    column("owner", String, index=True),
    column("name", String),
    column("url", String),
    column("kilobytes", BIG_INTEGER, default=0, server_default="0"),
    column("pushed_at", String, doc="Date of the last push, as the host writes it."),
    column("state", String, doc="`wanted`, `passed-over` or `vanished`."),
    column("reason", String, doc="Why it was passed over: a stable slug."),
    column("seen_at", Float),
    column(
        "vanished_at", Float, doc="Seconds since 1970, 0 for one that still exists."
    ),
)
"""A repository as its owner's listing last showed it."""
