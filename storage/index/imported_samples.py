"""Imported samples: what is asked of them in a table, their texts in blobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any, Final

from sqlalchemy import Engine, delete, func, or_, select

from crawler.codec import decode, encode
from crawler.dataset.imported.sample import ImportedSample
from storage.database.bulk_insert import insert_all
from storage.database.engine import read_transaction, write_transaction
from storage.interfaces import BlobStore
from storage.tables import IMPORTED_SAMPLE

_SAMPLES_PER_BATCH: Final = 100
_COLUMNS: Final = IMPORTED_SAMPLE.c
_HAS_FAILED: Final = or_(
    _COLUMNS.pass_call.is_(False),
    _COLUMNS.pass_exe.is_(False),
    _COLUMNS.pass_perf.is_(False),
)


class SqlImportedSamples:
    """The `ImportedSamples` in an SQL database and a blob store."""

    def __init__(self, engine: Engine, blobs: BlobStore) -> None:
        self._engine = engine
        self._blobs = blobs

    def put(self, collection: str, samples: Iterable[ImportedSample]) -> int:
        """Replace a collection by `samples`, all of them or none, and return how many there were.

        Whatever `samples` raises is raised, and the collection stays as it was.
        """
        # blobs before rows, and all samples before any row: what breaks half-way changes nothing
        rows = list(self._store_samples(collection, samples))
        is_replaced = _COLUMNS.collection == collection
        with write_transaction(self._engine) as connection:
            connection.execute(delete(IMPORTED_SAMPLE).where(is_replaced))
            return insert_all(connection, IMPORTED_SAMPLE, rows)

    def count_samples(self) -> dict[str, int]:
        """Return the names of all collections, with how many samples each has."""
        name = _COLUMNS.collection
        statement = select(name, func.count()).group_by(name).order_by(name)
        with read_transaction(self._engine) as connection:
            return {row[0]: row[1] for row in connection.execute(statement)}

    def iter_failed(self, collection: str) -> Iterator[ImportedSample]:
        """Yield the samples of which something was run and did not pass, in their order."""
        after = -1
        while True:
            statement = (
                select(_COLUMNS.position, _COLUMNS.encoded)
                .where(_COLUMNS.collection == collection, _COLUMNS.position > after)
                .where(_HAS_FAILED)
                .order_by(_COLUMNS.position)
                .limit(_SAMPLES_PER_BATCH)
            )
            with read_transaction(self._engine) as connection:
                rows = connection.execute(statement).all()

            for content in self._blobs.get_many([row.encoded for row in rows]):
                yield decode(content, ImportedSample)
            if len(rows) < _SAMPLES_PER_BATCH:
                return

            after = rows[-1].position

    def _store_samples(
        self, collection: str, samples: Iterable[ImportedSample]
    ) -> Iterator[dict[str, Any]]:
        """Yield the row of each sample, whose texts are stored by then."""
        stream = iter(samples)
        positions = count()
        while batch := list(islice(stream, _SAMPLES_PER_BATCH)):
            digests = self._blobs.put_many(encode(sample) for sample in batch)
            for sample, digest in zip(batch, digests, strict=True):
                yield {
                    "collection": collection,
                    "position": next(positions),
                    "filename": sample.filename,
                    "pass_call": sample.pass_call,
                    "pass_exe": sample.pass_exe,
                    "pass_perf": sample.pass_perf,
                    "encoded": digest,
                }
