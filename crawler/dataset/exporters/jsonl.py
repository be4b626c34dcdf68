"""JSON Lines exporter: one row per line, as `schema.json` describes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.codec import encode
from crawler.dataset.destination import create_file_atomically
from crawler.dataset.interface import Exporter
from crawler.dataset.programs.harness_programs import (
    ContentReader,
    build_programs_at_depth,
)
from crawler.dataset.rows.row import to_row
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord


class JsonLines:
    """Writes a file of JSON objects."""

    name = "jsonl"

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        read_content: ContentReader | None = None,
    ) -> int:
        """Stream `records` to the file `destination` and return how many there were."""
        count = 0
        with create_file_atomically(destination) as file:
            for record in records:
                tests = build_programs_at_depth(record, depth, read_content)
                row = to_row(record, depth, tests)
                file.write(encode(row) + b"\n")
                count += 1
        return count


PLUGIN: Final[Exporter] = JsonLines()
