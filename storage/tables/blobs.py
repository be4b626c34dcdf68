"""Where blobs lie."""

from __future__ import annotations

from sqlmodel import Field

from storage.base import LARGE, Base
from storage.tables.columns import of


class Pack(Base, table=True):
    """A file that holds many small blobs."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)


class Blob(Base, table=True):
    """Where a blob lies: in a pack, or loose under its digest."""

    digest: str = Field(primary_key=True)
    size: int = Field(sa_type=LARGE)
    """Of the content."""
    pack: int | None = of("pack", default=None)
    offset: int = Field(default=0, sa_type=LARGE)
    length: int = Field(sa_type=LARGE)
    """As stored."""
