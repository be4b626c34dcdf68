"""Tables of blobs and the packs that hold them."""

from __future__ import annotations

from sqlalchemy import Index, text
from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base
from storage.tables.columns import foreign_id


class Pack(Base, table=True):
    """A file, or an object of a bucket, that holds many small blobs."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)


class Blob(Base, table=True):
    """Location of a blob: in a pack, or loose under its digest."""

    __table_args__ = (
        Index(
            "ix_blob_doomed",
            "doomed_at",
            sqlite_where=text("doomed_at <> 0"),
            postgresql_where=text("doomed_at <> 0"),
        ),
    )
    digest: str = Field(primary_key=True)
    size: int = Field(sa_type=BIG_INTEGER)
    """Bytes of the content."""
    pack: int | None = foreign_id("pack", default=None, index=True)
    offset: int = Field(default=0, sa_type=BIG_INTEGER)
    length: int = Field(sa_type=BIG_INTEGER)
    """Bytes as stored, compressed."""
    doomed_at: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """When garbage collection first found it unreferenced, 0 for a live blob; below 0 while
    its bytes are being erased.
    """
