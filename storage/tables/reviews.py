"""Tables of reviews."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from storage.database.base import Base


class UnitReview(Base, table=True):
    """What a reviewer said of a unit at one time; none is ever changed."""

    __tablename__ = "review"
    __table_args__ = (UniqueConstraint("unit", "reviewer", "reviewed_at"),)
    id: int | None = Field(default=None, primary_key=True)
    unit: str = Field(foreign_key="unit.digest")
    reviewer: str = Field(index=True)
    reviewed_at: float
    verdict: str
    encoded: str
    """JSON of the whole review."""


class UnitReviewState(Base, table=True):
    """What the reviewers of a unit come to; made of its reviews whenever one is added."""

    __tablename__ = "review_state"
    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    state: str = Field(index=True)
    reviewers: int = Field(index=True)
    """How many people reviewed it."""


class ReviewClaim(Base, table=True):
    """A unit that was handed out to a reviewer."""

    __tablename__ = "review_claim"
    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    reviewer: str
    until: float
    """When it may be handed to somebody else, in seconds since 1970."""


class ReviewPass(Base, table=True):
    """A unit that a reviewer gave back without a verdict."""

    __tablename__ = "review_pass"
    __table_args__ = (UniqueConstraint("reviewer", "unit"),)
    id: int | None = Field(default=None, primary_key=True)
    """Those of one reviewer rise in the order in which they were given back."""
    reviewer: str
    unit: str = Field(foreign_key="unit.digest", index=True)
