"""Tables of blobs and the packs that hold them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Float, ForeignKey, Index, Integer, String, Table, text

from storage.database.base import BIG_INTEGER, METADATA
from storage.tables.columns import column

PACK: Final = Table(
    "pack",
    METADATA,
    column("id", Integer, primary_key=True),
    column("name", String, unique=True),
)
"""A file, or an object of a bucket, that holds many small blobs."""

BLOB: Final = Table(
    "blob",
    METADATA,
    column("digest", String, primary_key=True),
    column("size", BIG_INTEGER, doc="Bytes of the content."),
    column("pack", Integer, ForeignKey("pack.id"), nullable=True, index=True),
    column("offset", BIG_INTEGER, default=0),
    column("length", BIG_INTEGER, doc="Bytes as stored, compressed."),
    column(
        "doomed_at",
        Float,
        default=0.0,
        server_default="0",
        doc="When garbage collection first found it unreferenced, 0 for a live blob; below 0"
        " while its bytes are being erased.",
    ),
    Index(
        "ix_blob_doomed",
        "doomed_at",
        sqlite_where=text("doomed_at <> 0"),
        postgresql_where=text("doomed_at <> 0"),
    ),
)
"""Location of a blob: in a pack, or loose under its digest."""
