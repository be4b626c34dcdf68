"""What all tables share: their metadata, apart from any other user of SQLModel, and the names of their constraints."""

from __future__ import annotations

from sqlalchemy import MetaData
from sqlalchemy import Table as SqlTable
from sqlmodel import SQLModel

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Base(SQLModel):
    """What all our tables share: their own metadata, apart from any other user of SQLModel."""

    metadata = METADATA


def table(model: type[Base]) -> SqlTable:
    """Return the table of `model`, for bulk statements."""
    found: SqlTable = METADATA.tables[str(model.__tablename__)]
    return found
