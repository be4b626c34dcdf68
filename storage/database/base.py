"""Declarative base, shared metadata and column types of all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy import Table as SqlTable
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BIG_INTEGER = BigInteger().with_variant(Integer(), "sqlite")
"""The type of values that may exceed 2³¹: Postgres's INTEGER has 32 bits."""


# statements go by the tables, and pydantic validates no row: its schemas of all tables
# would take as long to make as the tables themselves
class Base(SQLModel, defer_build=True):
    """Base of all tables, with metadata apart from any other user of SQLModel."""

    metadata = METADATA


def get_table(model: type[Base]) -> SqlTable:
    """Return the table of `model`, for bulk statements."""
    table: SqlTable = METADATA.tables[str(model.__tablename__)]
    return table


def upsert(table: SqlTable) -> Insert:
    """Return Postgres's INSERT, which may have an ON CONFLICT.

    SQLite's compiler renders it too; the insert of the SQLite dialect, on the other hand,
    cannot be rendered by Postgres's compiler.
    """
    # its package loads the dialects of five drivers and asyncio: only for what writes
    from sqlalchemy.dialects.postgresql import insert

    return insert(table)
