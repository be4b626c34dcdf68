"""Read reviews from their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy import Connection, select

from crawler.codec import decode
from crawler.model import Review
from storage.database.chunks import iter_chunks
from storage.tables import REVIEW


def read_histories(
    connection: Connection, units: Collection[str]
) -> Mapping[str, tuple[Review, ...]]:
    """Return the reviews of each of `units` that has any, the oldest first."""
    histories: dict[str, list[Review]] = defaultdict(list)
    columns = REVIEW.c
    for chunk in iter_chunks(units):
        statement = select(columns.unit, columns.encoded)
        statement = statement.where(columns.unit.in_(chunk))
        statement = statement.order_by(columns.reviewed_at, columns.id)
        for unit, encoded in connection.execute(statement):
            histories[unit].append(decode(encoded, Review))

    return {unit: tuple(history) for unit, history in histories.items()}
