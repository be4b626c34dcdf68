"""Interfaces of dataset views and exporters: what a row is, and what a file of rows is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from crawler.dataset.cards.origin import DatasetOrigin
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.texts.depth import Depth
from crawler.model import CompletionAttempt, KernelRecord, Repo, Span

RecordFinder = Callable[[Repo, Span], KernelRecord | None]
"""Gives what is known of the kernel at a place of a commit; `None` where there is no such kernel,
or where the dataset must not take it.
"""

AttemptLister = Callable[[str], Iterable[CompletionAttempt]]
"""Gives the attempts of models at a kernel, by the id of its task, in the order in which they were
made.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowContext:
    """What a view needs besides a record to make its rows."""

    depth: Depth = Depth.UNIT
    """What the user gave as `--depth`."""
    read_content: ContentReader | None = None
    """Gives the bytes of a content by its digest, which only tests need, at the depth `full`;
    `None` where there are none to be had.
    """
    find_record: RecordFinder = lambda repo, span: None
    """Gives a kernel that another one names."""
    list_attempts: AttemptLister = lambda kernel: ()
    """Gives what models wrote of a kernel."""
    origin: DatasetOrigin | None = None
    """What the dataset is made of, for formats that describe it or split it."""


class View(Protocol):
    """What one row of a dataset is about; one file each, which ends with `PLUGIN: Final[View]`."""

    name: str
    """What `kernelset export` takes: `kernels`, `pairs`."""
    summary: str
    """What a row is, in one line for a person."""
    row_type: type[Any]
    """The frozen dataclass of a row: its first field is `schema`, each has a docstring.

    A row that is a folder of files has `files`, plain file name to text, and `folder`, a plain
    name: the format `folder` writes them.
    """
    schema_name: str
    """Name and version of this form: `kernelset.pairs/1`; every row's `schema`."""

    def make_rows(self, record: KernelRecord, context: RowContext) -> Iterator[Any]:
        """Yield the rows of one record, in an order that depends on the record alone; none where
        the view has nothing to say of it.
        """
        ...


class Exporter(Protocol):
    """A format of a dataset; one file each, which ends with `PLUGIN: Final[Exporter]`.

    One method is optional, for files whose format cannot begin with the name of the schema:
    `is_own_file(path: Path) -> bool` tells whether an existing file was written by this exporter.
    It is asked of any file and reads a bounded part of it.
    """

    name: str
    """What `--format` takes: `jsonl`, `parquet`, `tree`, `folder`; also the suffix of its files."""

    def write(
        self,
        view: View,
        records: Iterable[KernelRecord],
        destination: Path,
        context: RowContext,
    ) -> int:
        """Stream the view's rows of `records` to `destination` (a file, or a folder for `tree`)
        and return how many were written.

        Same records, byte-identical output; nothing is half-written: the name appears when all
        is there. A file begins with the name of the schema, or is known by `is_own_file`.
        Raises `Misconfigured` (`bad-format`) for a view that the format has no form for.
        """
        ...
