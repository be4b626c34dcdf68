"""JSON Lines: a row a line, in the form of `schema.json`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.codec import encode
from crawler.dataset.depth import Depth
from crawler.dataset.destination import new_file
from crawler.dataset.interface import Exporter
from crawler.dataset.record import row_of
from crawler.dataset.tests import ContentOf, programs_at
from crawler.model import KernelRecord


class JsonLines:
    """Writes a file of JSON objects."""

    name = "jsonl"

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        content_of: ContentOf | None = None,
    ) -> int:
        """Stream `records` to the file `destination` and return how many there were."""
        count = 0
        with new_file(destination) as file:
            for record in records:
                file.write(encode(row_of(record, depth, programs_at(record, depth, content_of))) + b"\n")
                count += 1
        return count


PLUGIN: Final[Exporter] = JsonLines()
