"""Table of samples that were imported from the files of other programs."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, Integer, String, Table

from storage.database.base import METADATA
from storage.tables.columns import column

IMPORTED_SAMPLE: Final = Table(
    "imported_sample",
    METADATA,
    column(
        "collection",
        String,
        primary_key=True,
        doc="Name under which its file was imported.",
    ),
    column("position", Integer, primary_key=True, doc="Of its row in that file."),
    column("filename", String),
    column(
        "pass_call",
        Boolean,
        nullable=True,
        doc="Null where it was not run, as for the next two.",
    ),
    column("pass_exe", Boolean, nullable=True),
    column("pass_perf", Boolean, nullable=True),
    column("encoded", String, doc="Digest of the sample's JSON."),
)
"""A sample of another benchmark's results."""
