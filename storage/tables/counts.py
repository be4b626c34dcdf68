"""Table of counts that are kept, since counting takes seconds where kernels are many."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import Base


class ValueCountRow(Base, table=True):
    """How many kernels have a value of a field."""

    __tablename__ = "value_count"
    field: str = Field(primary_key=True)
    value: str = Field(primary_key=True)
    """Empty in the row whose number says whether the field is counted already."""
    target: str = Field(primary_key=True)
    """Of a verdict: target or device; else empty."""
    kernels: int
