"""Interface of dataset exporters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord


class Exporter(Protocol):
    """A format of a dataset; one file each, which ends with `PLUGIN: Final[Exporter]`."""

    name: str
    """What `--format` takes: `jsonl`, `parquet`, `tree`; also the suffix of its files."""

    def write(
        self,
        records: Iterable[KernelRecord],
        destination: Path,
        depth: Depth = Depth.UNIT,
        read_content: ContentReader | None = None,
    ) -> int:
        """Stream `records` to `destination` (a file, or a folder for `tree`) and return how
        many rows were written.

        At the depth `full` tests come along, where `read_content` gives the bytes of their
        cases by digest.
        Same records, byte-identical output; nothing is half-written: the name appears when all
        is there. A file names the schema where `can_replace` looks for it.
        """
        ...
