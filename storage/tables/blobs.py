"""Tables of blobs and the packs that hold them."""

from __future__ import annotations

from sqlalchemy import Index, text
from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base
from storage.tables.columns import foreign_id


class Pack(Base, table=True):
    """A file that holds many small blobs."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)


class Blob(Base, table=True):
    """Where a blob lies: in a pack, or loose under its digest."""

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
    """Of the content."""
    pack: int | None = foreign_id("pack", default=None, index=True)
    offset: int = Field(default=0, sa_type=BIG_INTEGER)
    length: int = Field(sa_type=BIG_INTEGER)
    """As stored."""
    doomed_at: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """When it was first found that nothing names it, 0 for what is wanted; below 0 its bytes
    are being erased.
    """
