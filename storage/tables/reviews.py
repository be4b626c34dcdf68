"""Tables of reviews."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Float, ForeignKey, Integer, String, Table, UniqueConstraint

from storage.database.base import METADATA
from storage.tables.columns import column

REVIEW: Final = Table(
    "review",
    METADATA,
    column("id", Integer, primary_key=True),
    column("unit", String, ForeignKey("unit.digest")),
    column("reviewer", String, index=True),
    column("reviewed_at", Float),
    column("verdict", String),
    column("encoded", String, doc="JSON of the whole review."),
    UniqueConstraint("unit", "reviewer", "reviewed_at"),
)
"""What a reviewer said of a unit at one time; none is ever changed."""

REVIEW_STATE: Final = Table(
    "review_state",
    METADATA,
    column("unit", String, ForeignKey("unit.digest"), primary_key=True),
    column("state", String, index=True),
    column("reviewers", Integer, index=True, doc="How many people reviewed it."),
)
"""What the reviewers of a unit come to; made of its reviews whenever one is added."""

REVIEW_CLAIM: Final = Table(
    "review_claim",
    METADATA,
    column("unit", String, ForeignKey("unit.digest"), primary_key=True),
    column("reviewer", String),
    column(
        "until",
        Float,
        doc="When it may be handed to somebody else, in seconds since 1970.",
    ),
)
"""A unit that was handed out to a reviewer."""
