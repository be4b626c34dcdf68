"""Declarative base, shared metadata and column types of all tables."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy import Table as SqlTable
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import SQLModel

__all__ = ("BIG_INTEGER", "METADATA", "Base", "table", "upsert")
# `upsert` is Postgres's own INSERT with ON CONFLICT; SQLite's compiler writes it alike, and not
# the other way round

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BIG_INTEGER = BigInteger().with_variant(Integer(), "sqlite")
"""The type of what may pass 2³¹: Postgres's INTEGER has 32 bits."""


class Base(SQLModel):
    """What all our tables share: their own metadata, apart from any other user of SQLModel."""

    metadata = METADATA


def table(model: type[Base]) -> SqlTable:
    """Return the table of `model`, for bulk statements."""
    found: SqlTable = METADATA.tables[str(model.__tablename__)]
    return found
