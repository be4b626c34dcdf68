"""Apache Parquet exporter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.dataset.destination import create_file_atomically
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.dataset.replacement import SCHEMA_NAME_PATTERN
from crawler.model import KernelRecord

_MAGIC: Final = b"PAR1"
_FOOTER_BYTES: Final = 1 << 20
"""Where Parquet keeps its metadata: at the end of the file."""
# the end of a Parquet file: the schema's name among its metadata
_SCHEMA: Final = re.compile(rb"(?<![\w/])" + SCHEMA_NAME_PATTERN)


class Parquet:
    """Writes a Parquet file with zstd compression."""

    name = "parquet"

    def write(
        self,
        view: View,
        records: Iterable[KernelRecord],
        destination: Path,
        context: RowContext,
    ) -> int:
        """Stream the rows of `records` to the file `destination` and return how many there were."""
        # pyarrow is slow to import, and of no use to other verbs
        from crawler.dataset.rows.parquet_file import ParquetFile

        with (
            create_file_atomically(destination) as file,
            # as the objects of JSON Lines
            ParquetFile(
                file, view.row_type, view.schema_name, with_maps=True
            ) as parquet_file,
        ):
            for record in records:
                for row in view.make_rows(record, context):
                    parquet_file.add(row)

        return parquet_file.row_count

    def is_own_file(self, path: Path) -> bool:
        """Tell whether a file's metadata names a schema of ours."""
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
            file.seek(max(0, path.stat().st_size - _FOOTER_BYTES))
            return _SCHEMA.search(file.read()) is not None


PLUGIN: Final[Exporter] = Parquet()
