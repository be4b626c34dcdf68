"""Insert many rows at once: COPY on Postgres, one prepared statement on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert


def insert_all(
    connection: Connection, target: Table, rows: Iterable[Mapping[str, Any]]
) -> int:
    """Insert `rows`, which name the same columns each, and return how many there were."""
    listed = list(rows)
    if not listed:
        return 0
    if connection.dialect.name == "sqlite":
        connection.execute(insert(target), listed)
    else:
        # imported only where there is a server
        from storage.database.postgres import copy_rows

        copy_rows(connection, target, listed)
    return len(listed)
