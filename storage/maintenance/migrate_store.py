"""Copy a whole store into an empty one: from one machine to the servers of a cluster.

Blobs go first, and again those that came meanwhile; what is there already is passed over, so a
move that was cut short
goes on. Rows go in one transaction, while nobody can write at the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, Table, func, select, text

from crawler.errors import Misconfigured
from storage.blobs.indexed_blobs import BLOB, PACK
from storage.database.bulk_insert import insert_all
from storage.database.engine import (
    AdvisoryLock,
    is_embedded,
    read_transaction,
    write_transaction,
)
from storage.ledger.dependencies import TASK
from storage.ledger.interface import State
from storage.tables import METADATA, LiveWorker, table

if TYPE_CHECKING:
    from storage.open import Storage

_LEFT: Final = (BLOB, PACK, table(LiveWorker))
"""Told anew where blobs are stored, and by who works there."""
_ROWS: Final = 5000
_BLOBS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationResult:
    """What a move brought."""

    blobs: int
    rows: int


def migrate_store(source: Storage, target: Storage) -> MigrationResult:
    """Copy all blobs and rows of `source` into `target`, which holds no rows yet; the source
    stays as it is.

    Raises `Misconfigured` where the target holds rows, or tasks run at the source.
    """
    _refuse_rows(target.engine)
    source.ledger.reclaim()
    blobs = _copy_blobs(source, target)
    with write_transaction(source.engine) as held:
        if held.scalar(
            select(TASK.c.id).where(TASK.c.state == State.RUNNING.value).limit(1)
        ):
            raise Misconfigured(
                "a crawl is at work in the store: let it end, then move",
                code="move-too-early",
            )
        blobs += _copy_blobs(source, target)
        with write_transaction(target.engine, AdvisoryLock.TASKS) as connection:
            rows = sum(
                _copy_table(held, connection, each)
                for each in METADATA.sorted_tables
                if each not in _LEFT
            )
            _go_on_counting(connection)
    return MigrationResult(blobs=blobs, rows=rows)


def _refuse_rows(engine: Engine) -> None:
    with read_transaction(engine) as connection:
        for each in METADATA.sorted_tables:
            if (
                each not in _LEFT
                and connection.execute(select(each).limit(1)).first() is not None
            ):
                raise Misconfigured(
                    f"the database that is moved to already holds rows (of {each.name}): give an empty one, "
                    "made by createdb and `kernelset db upgrade`",
                    code="move-not-empty",
                )


def _copy_blobs(source: Storage, target: Storage) -> int:
    count, after = 0, ""
    while True:
        page = select(BLOB.c.digest).where(BLOB.c.digest > after, BLOB.c.doomed_at >= 0)
        with read_transaction(source.engine) as connection:
            digests = connection.scalars(
                page.order_by(BLOB.c.digest).limit(_BLOBS)
            ).all()
        missing = sorted(set(digests) - _there(target.engine, digests))
        target.blobs.put_many(source.blobs.get(digest) for digest in missing)
        count += len(missing)
        if len(digests) < _BLOBS:
            return count
        after = digests[-1]


def _there(engine: Engine, digests: Sequence[str]) -> set[str]:
    with read_transaction(engine) as connection:
        there = select(BLOB.c.digest).where(
            BLOB.c.digest.in_(digests), BLOB.c.doomed_at == 0
        )
        return set(connection.scalars(there))


def _copy_table(source: Connection, target: Connection, moved: Table) -> int:
    # by their keys: a row's parent is older than it is
    rows = source.execute(
        select(moved).order_by(*moved.primary_key.columns),
        execution_options={"yield_per": _ROWS},
    )
    return sum(
        insert_all(target, moved, (row._asdict() for row in some))
        for some in rows.partitions()
    )


def _go_on_counting(connection: Connection) -> None:
    """Let numbers that the server gives out begin after those that came along."""
    for each, column in _numbered(connection):
        last = connection.scalar(select(func.max(each.c[column]))) or 0
        if last:
            sequence = func.pg_get_serial_sequence(each.name, column)
            connection.execute(select(func.setval(sequence, last)))


def _numbered(connection: Connection) -> Iterator[tuple[Table, str]]:
    if is_embedded(connection.engine):
        return
    for each in METADATA.sorted_tables:
        key = list(each.primary_key.columns)
        if each not in _LEFT and [column.name for column in key] == ["id"]:
            named = text("SELECT pg_get_serial_sequence(:name, 'id')")
            if connection.scalar(named, {"name": each.name}):
                yield each, "id"
