"""A digest of all that an index holds."""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import Connection, select

from storage.tables import (
    BUILD,
    DEFINITION,
    KERNEL,
    PORT,
    PORT_BLOCKER,
    REVIEW,
    REVIEW_STATE,
    REVISION,
    RUN,
    SUITE,
    UNIT,
)

# what else is said of a kernel, its tags say, is in the content that its row names
_TABLES: Final = (
    REVISION,
    UNIT,
    DEFINITION,
    PORT,
    PORT_BLOCKER,
    KERNEL,
    BUILD,
    RUN,
    SUITE,
    REVIEW,
    REVIEW_STATE,
)
_ROWS_PER_FETCH: Final = 5000


def compute_fingerprint(connection: Connection) -> str:
    """Return sha256 over the rows of all tables that records are made of."""
    digest = hashlib.sha256()
    for table in _TABLES:
        digest.update(table.name.encode())
        statement = select(table).order_by(*table.primary_key.columns)
        options = {"yield_per": _ROWS_PER_FETCH}
        rows = connection.execute(statement, execution_options=options)
        for row in rows:
            digest.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))

    return digest.hexdigest()
