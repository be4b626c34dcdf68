"""Write rows to a Parquet file in groups of bounded size."""

from __future__ import annotations

from types import TracebackType
from typing import IO, Any, Final, Self

import pyarrow as pa
from pyarrow import parquet

from crawler.codec import encode
from crawler.dataset.rows.arrow_schema import build_arrow_schema, to_arrow_cells

ROWS_PER_GROUP: Final = 1024
BYTES_PER_GROUP: Final = 64 << 20
"""Text held in memory at a time, before it is compressed: rows of large units are few a group."""


class ParquetFile:
    """A Parquet file that is being written; closed at the end of a `with` block."""

    def __init__(
        self,
        file: IO[bytes],
        row_type: type[Any],
        schema_name: str,
        *,
        with_maps: bool = False,
    ) -> None:
        self._file = file
        self._with_maps = with_maps
        self._schema = build_arrow_schema(row_type, schema_name, with_maps=with_maps)
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._cells: list[dict[str, Any]] = []
        self._greatest_text = 0
        self.row_count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._write_group()
        self._writer.close()

    def add(self, row: Any) -> None:
        """Append a row."""
        cells = to_arrow_cells(row, with_maps=self._with_maps)
        self._cells.append(cells)
        # no text is longer than its JSON, whose length is cheaper to know
        self._greatest_text += len(encode(row))
        self.row_count += 1
        if len(self._cells) >= ROWS_PER_GROUP or self._has_much_text():
            self._write_group()

    def measure_bytes(self) -> int:
        """Return how large the file is so far, without the rows of the group that is open."""
        return self._file.tell()

    def _has_much_text(self) -> bool:
        if self._greatest_text < BYTES_PER_GROUP:
            return False

        # measured once: the rows of before count with what they have
        text = sum(map(_measure_text, self._cells))
        self._greatest_text = text
        return text >= BYTES_PER_GROUP

    def _write_group(self) -> None:
        if not self._cells:
            return

        batch = pa.RecordBatch.from_pylist(self._cells, schema=self._schema)
        self._writer.write_batch(batch)
        self._cells.clear()
        self._greatest_text = 0


def _measure_text(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_measure_text, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_measure_text, value))
    return 0
