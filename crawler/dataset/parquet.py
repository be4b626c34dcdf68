"""Apache Parquet: the same rows in columns, written group by group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.dataset.depth import Depth
from crawler.dataset.destination import new_file
from crawler.dataset.interface import Exporter
from crawler.dataset.record import Row, row_of
from crawler.dataset.tests import ContentOf, programs_at
from crawler.model import KernelRecord

GROUP: Final = 1024
"""Rows held in memory at a time."""


class Parquet:
    """Writes a Parquet file with zstd compression."""

    name = "parquet"

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        content_of: ContentOf | None = None,
    ) -> int:
        """Stream `records` to the file `destination` and return how many there were."""
        # slow to import, and of no use to other verbs
        import pyarrow as pa
        from pyarrow import parquet

        from crawler.dataset.columns import cells, parquet_schema

        schema, count = parquet_schema(), 0
        with new_file(destination) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for group in _groups(row_of(record, depth, programs_at(record, depth, content_of)) for record in records):
                writer.write_batch(pa.RecordBatch.from_pylist([cells(row) for row in group], schema=schema))
                count += len(group)
        return count


def _groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while group := list(islice(rows, GROUP)):
        yield group


PLUGIN: Final[Exporter] = Parquet()
