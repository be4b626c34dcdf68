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

        schema, count = build_arrow_schema(), 0
        with (
            create_file_atomically(destination) as file,
            parquet.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for group in _groups(
                to_row(
                    record, depth, build_programs_at_depth(record, depth, read_content)
                )
                for record in records
            ):
                writer.write_batch(
                    pa.RecordBatch.from_pylist(
                        [to_arrow_cells(row) for row in group], schema=schema
                    )
                )
                count += len(group)
        return count


def _groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while group := list(islice(rows, ROWS_PER_GROUP)):
        yield group


PLUGIN: Final[Exporter] = Parquet()
