"""Copy a whole store into an empty one: from one machine to the servers of a cluster.

Blobs go first, and then once more those that came meanwhile; what is there already is skipped,
so a migration that was cut short can be repeated. Rows go in one transaction, while nobody can
write to the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlalchemy import Connection, Engine, Table, func, select, text

from crawler.errors import Misconfigured
from storage.blobs.blob_locations import IS_PRESENT
from storage.database.bulk_insert import insert_all
from storage.database.engine import (
    AdvisoryLock,
    is_embedded,
    read_transaction,
    write_transaction,
)
from storage.index.counts.kept_counts import forget_counts
from storage.interfaces import BlobStore
from storage.ledger.interface import Ledger
from storage.ledger.task_queries import has_running_task
from storage.tables import BLOB, METADATA, PACK, VALUE_COUNT, WORKER

_SKIPPED_TABLES: Final = (BLOB, PACK, WORKER, VALUE_COUNT)
"""The target has its own: where its blobs are stored, who works there, what it counts."""
_ROWS_PER_FETCH: Final = 5000
_BLOBS_PER_READ: Final = 200


class Store(Protocol):
    """The parts of `storage.open.Storage` that a migration reads and writes."""

    @property
    def blobs(self) -> BlobStore:
        """The blob store."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The task ledger."""
        ...

    @property
    def engine(self) -> Engine:
        """The database."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationResult:
    """How much was copied."""

    blobs: int
    rows: int


def migrate_store(source: Store, target: Store) -> MigrationResult:
    """Copy all blobs and rows of `source` into `target`; the source stays as it is.

    Raises `Misconfigured` where the target holds rows, or tasks run at the source.
    """
    _require_empty(target.engine)
    # tasks of dead workers would count as running
    source.ledger.reclaim()
    blobs = _copy_blobs(source, target)

    # from here on nobody writes to the source
    with write_transaction(source.engine) as source_connection:
        if has_running_task(source_connection):
            raise Misconfigured(
                "a crawl is at work in the store: let it end, then move",
                code="move-too-early",
            )

        blobs += _copy_blobs(source, target)
        with write_transaction(target.engine, AdvisoryLock.TASKS) as connection:
            # of an empty store somebody may have asked
            forget_counts(connection)
            rows = sum(
                _copy_table(source_connection, connection, table)
                for table in _migrated_tables()
            )
            _advance_sequences(connection)

    return MigrationResult(blobs=blobs, rows=rows)


def _migrated_tables() -> list[Table]:
    """Return the tables that are copied; one comes after those that it references."""
    return [table for table in METADATA.sorted_tables if table not in _SKIPPED_TABLES]


def _require_empty(engine: Engine) -> None:
    with read_transaction(engine) as connection:
        for table in _migrated_tables():
            if connection.execute(select(table).limit(1)).first() is None:
                continue
            raise Misconfigured(
                f"the database that is moved to already holds rows (of {table.name}):"
                " give an empty one, made by createdb and `kernelset db upgrade`",
                code="move-not-empty",
            )


def _copy_blobs(source: Store, target: Store) -> int:
    """Copy the blobs that the target lacks, and return how many."""
    count = 0
    for digests in _iter_digests(source.engine):
        missing = sorted(set(digests) - _find_live_blobs(target.engine, digests))
        target.blobs.put_many(source.blobs.get(digest) for digest in missing)
        count += len(missing)

    return count


def _iter_digests(engine: Engine) -> Iterator[Sequence[str]]:
    """Yield the digests of all blobs in order, a transaction for each page."""
    after = ""
    while True:
        statement = (
            select(BLOB.c.digest)
            .where(BLOB.c.digest > after, IS_PRESENT)
            .order_by(BLOB.c.digest)
            .limit(_BLOBS_PER_READ)
        )

        with read_transaction(engine) as connection:
            digests = connection.scalars(statement).all()

        yield digests
        if len(digests) < _BLOBS_PER_READ:
            return

        after = digests[-1]


def _find_live_blobs(engine: Engine, digests: Sequence[str]) -> set[str]:
    # a doomed one is copied again, which saves it
    statement = select(BLOB.c.digest).where(
        BLOB.c.digest.in_(digests), BLOB.c.doomed_at == 0
    )
    with read_transaction(engine) as connection:
        return set(connection.scalars(statement))


def _copy_table(source: Connection, target: Connection, table: Table) -> int:
    # ordered by key: the parent of a task is older than the task
    statement = select(table).order_by(*table.primary_key.columns)
    rows = source.execute(statement, execution_options={"yield_per": _ROWS_PER_FETCH})
    return sum(
        insert_all(target, table, (row._asdict() for row in partition))
        for partition in rows.partitions()
    )


def _advance_sequences(connection: Connection) -> None:
    """Let the server assign ids above those that were copied."""
    if is_embedded(connection.engine):
        return

    for table in _find_tables_with_sequence(connection, _migrated_tables()):
        last = connection.scalar(select(func.max(table.c.id))) or 0
        if last:
            sequence = func.pg_get_serial_sequence(table.name, "id")
            connection.execute(select(func.setval(sequence, last)))


def _find_tables_with_sequence(
    connection: Connection, tables: Iterable[Table]
) -> Iterator[Table]:
    """Yield the tables whose `id` the server assigns."""
    sequence = text("SELECT pg_get_serial_sequence(:name, 'id')")
    for table in tables:
        key = [column.name for column in table.primary_key.columns]
        if key == ["id"] and connection.scalar(sequence, {"name": table.name}):
            yield table
