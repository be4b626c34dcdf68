"""The seam between records and files of a dataset."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from crawler.dataset.depth import Depth
from crawler.dataset.tests import ContentOf
from crawler.model import KernelRecord


class Exporter(Protocol):
    """A format of a dataset; one file each, which ends with `PLUGIN: Final[Exporter]`."""

    name: str
    """What `--format` takes: `jsonl`, `parquet`, `tree`."""

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        content_of: ContentOf | None = None,
    ) -> int:
        """Stream `records` to `destination` (a file, or a folder for `tree`) and return how many rows were written.

        At the depth `full` tests come along, where `content_of` gives the bytes of their cases by digest.
        Same records, byte-identical output; nothing is half-written: the name appears when all is there.
        """
        ...
