"""Tables of who may do what on the page."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Float, String, Table

from storage.database.base import METADATA
from storage.tables.columns import column

ACCESS_TOKEN: Final = Table(
    "access_token",
    METADATA,
    column(
        "digest", String, primary_key=True, doc="sha256 of the token, in hexadecimal."
    ),
    column("name", String, index=True),
    column("role", String),
    column("created_at", Float),
    column("expires_at", Float, doc="Seconds since 1970; 0 for never."),
)
"""A token by which a person logs in; the token itself is not kept."""
