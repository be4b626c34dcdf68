"""Insert many rows at once: COPY on Postgres, one prepared statement on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert

from storage.database.base import upsert


def insert_all(
    connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]
) -> int:
    """Insert `rows`, which all name the same columns, and return how many there were."""
    listed = list(rows)
    if not listed:
        return 0

    if connection.dialect.name == "sqlite":
        connection.execute(insert(table), listed)
    else:
        # psycopg is imported only where there is a server
        from storage.database.postgres import copy_rows

        copy_rows(connection, table, listed)

    return len(listed)


def upsert_all(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    key: Sequence[str],
) -> None:
    """Insert `rows`, which all name the same columns; a row replaces the one of its `key`."""
    if not rows:
        return

    statement = upsert(table)
    replaced = {name: statement.excluded[name] for name in rows[0]}
    replacing = statement.on_conflict_do_update(
        index_elements=list(key),
        set_=replaced,
    )
    connection.execute(replacing, rows)
