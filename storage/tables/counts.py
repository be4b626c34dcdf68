"""Table of counts that are kept, since counting takes seconds where kernels are many."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Integer, String, Table

from storage.database.base import METADATA
from storage.tables.columns import column

VALUE_COUNT: Final = Table(
    "value_count",
    METADATA,
    column("field", String, primary_key=True),
    column(
        "value",
        String,
        primary_key=True,
        doc="Empty in the row whose number says whether the field is counted already.",
    ),
    column(
        "target",
        String,
        primary_key=True,
        doc="Of a verdict: target or device; else empty.",
    ),
    column("kernels", Integer),
)
"""How many kernels have a value of a field."""
