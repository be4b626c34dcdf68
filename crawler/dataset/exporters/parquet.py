"""Apache Parquet exporter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.dataset.destination import create_file_atomically
from crawler.dataset.interface import Exporter
from crawler.dataset.programs.harness_programs import (
    ContentReader,
    build_programs_at_depth,
)
from crawler.dataset.rows.row import Row, to_row
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord

ROWS_PER_GROUP: Final = 1024
"""Rows held in memory at a time."""


class Parquet:
    """Writes a Parquet file with zstd compression."""

    name = "parquet"

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        read_content: ContentReader | None = None,
    ) -> int:
        """Stream `records` to the file `destination` and return how many there were."""
        # slow to import, and of no use to other verbs
        import pyarrow as pa
        from pyarrow import parquet

        from crawler.dataset.rows.arrow_schema import build_arrow_schema, to_arrow_cells

        schema = build_arrow_schema()
        count = 0
        with (
            create_file_atomically(destination) as file,
            parquet.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            rows = _iter_rows(records, depth, read_content)
            for group in _iter_groups(rows):
                cells = [to_arrow_cells(row) for row in group]
                batch = pa.RecordBatch.from_pylist(cells, schema=schema)
                writer.write_batch(batch)
                count += len(group)
        return count


def _iter_rows(
    records: Iterable[KernelRecord], depth: Depth, read_content: ContentReader | None
) -> Iterator[Row]:
    for record in records:
        tests = build_programs_at_depth(record, depth, read_content)
        yield to_row(record, depth, tests)


def _iter_groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while group := list(islice(rows, ROWS_PER_GROUP)):
        yield group


PLUGIN: Final[Exporter] = Parquet()
