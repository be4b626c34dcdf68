"""Write a release shard by shard, and go on after the last whole shard of one that was killed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from crawler.codec import decode, encode
from crawler.dataset.destination import (
    MARKER_FILE,
    create_file_atomically,
    open_resumable_folder,
    remove_entries,
)
from crawler.dataset.interface import RowContext, View
from crawler.dataset.releases.earlier_release import EarlierRelease, ReasonFinder
from crawler.dataset.releases.release_files import (
    DATA_FOLDER,
    KERNELS_FILE,
    TOMBSTONES_FILE,
    ReleasedKernel,
    ReleaseManifest,
    describe_files,
)
from crawler.dataset.rows.row import compute_place_id
from crawler.model import KernelRecord

ROWS_PER_SHARD: Final = 50_000
BYTES_PER_SHARD: Final = 400 << 20
_JOURNAL_FILE: Final = ".journal.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """What a release is called, and what it is held against."""

    name: str
    fingerprint: str
    """Of the index and the options: a shard is kept where it is the same."""
    options: tuple[tuple[str, str], ...] = ()
    earlier: EarlierRelease | None = None
    """`None` for a whole release."""
    find_reason: ReasonFinder = lambda kernel: ""
    rows_per_shard: int = ROWS_PER_SHARD


@dataclass(frozen=True, slots=True, kw_only=True)
class _Journal:
    """How far a release is: all that came before its last whole shard."""

    fingerprint: str
    records: int = 0
    kernels: int = 0
    kernel_bytes: int = 0
    """Of the list of kernels."""
    rows: int = 0
    shards: int = 0


def write_release(
    view: View,
    records: Iterable[KernelRecord],
    destination: Path,
    context: RowContext,
    plan: ReleasePlan,
) -> ReleaseManifest:
    """Fill the folder `destination` with the rows that are new or changed, the list of all
    kernels and the tombstones, and return its manifest.

    The same index, options and earlier release give the same bytes, however often it was
    interrupted.
    """
    with open_resumable_folder(destination) as root:
        writer = _ReleaseWriter(root, view, context, plan)
        try:
            # those that an interrupted release is done with are read, and nothing is made of them
            for number, record in enumerate(records):
                if number >= writer.done_records:
                    writer.add(record)
        except BaseException:
            writer.abandon()
            raise

        return writer.close()


class _ReleaseWriter:
    def __init__(
        self, root: Path, view: View, context: RowContext, plan: ReleasePlan
    ) -> None:
        self._root = root
        self._view = view
        self._context = context
        self._plan = plan
        self._journal = _read_journal(root, plan.fingerprint)
        self.done_records = self._journal.records
        self._restore()
        self._kernels_file = (root / KERNELS_FILE).open("ab")
        self._shard: _Shard | None = None

    def add(self, record: KernelRecord) -> None:
        """Write the rows of a record, where they are not those of the earlier release."""
        rows = list(self._view.make_rows(record, self._context))
        if rows:
            kernel = _describe_kernel(record, rows)
            self._kernels_file.write(encode(kernel) + b"\n")
            self._journal = replace(self._journal, kernels=self._journal.kernels + 1)
            earlier = self._plan.earlier
            if earlier is None or earlier.compare(kernel):
                self._write_rows(rows)

        self._journal = replace(self._journal, records=self._journal.records + 1)
        if self._shard and self._shard.is_full(self._plan.rows_per_shard):
            self._close_shard()

    def close(self) -> ReleaseManifest:
        """Write what is left, the tombstones and the manifest."""
        self._close_shard()
        self._kernels_file.close()
        tombstones = self._write_tombstones()
        (self._root / _JOURNAL_FILE).unlink(missing_ok=True)
        plan = self._plan
        manifest = ReleaseManifest(
            schema=self._view.schema_name,
            view=self._view.name,
            release=plan.name,
            since=plan.earlier.name if plan.earlier else "",
            options=plan.options,
            kernels=self._journal.kernels,
            rows=self._journal.rows,
            tombstones=tombstones,
            files=describe_files(self._root),
        )
        (self._root / MARKER_FILE).write_bytes(encode(manifest) + b"\n")
        return manifest

    def abandon(self) -> None:
        """Close files that are not whole; whoever goes on begins behind the last shard."""
        self._kernels_file.close()
        if self._shard is not None:
            self._shard.close()

    def _restore(self) -> None:
        """Throw away what came after the last whole shard, and note the kernels before it."""
        data_folder = self._root / DATA_FOLDER
        remove_entries(self._root, {DATA_FOLDER, KERNELS_FILE, _JOURNAL_FILE})
        data_folder.mkdir(exist_ok=True)
        shards = range(self._journal.shards)
        remove_entries(data_folder, {_name_shard(number) for number in shards})

        kernels_path = self._root / KERNELS_FILE
        kernels_path.touch()
        os.truncate(kernels_path, self._journal.kernel_bytes)
        if self._plan.earlier is None:
            return

        with kernels_path.open("rb") as file:
            for line in file:
                self._plan.earlier.compare(decode(line, ReleasedKernel))

    def _write_rows(self, rows: Iterable[Any]) -> None:
        if self._shard is None:
            name = _name_shard(self._journal.shards)
            path = self._root / DATA_FOLDER / name
            self._shard = _Shard(path, self._view)

        self._shard.add(rows)

    def _close_shard(self) -> None:
        if self._shard is None:
            return

        rows = self._shard.close()
        self._shard = None
        self._kernels_file.flush()
        os.fsync(self._kernels_file.fileno())
        self._journal = replace(
            self._journal,
            kernel_bytes=self._kernels_file.tell(),
            rows=self._journal.rows + rows,
            shards=self._journal.shards + 1,
        )
        with create_file_atomically(self._root / _JOURNAL_FILE) as file:
            file.write(encode(self._journal))

    def _write_tombstones(self) -> int:
        count = 0
        with (self._root / TOMBSTONES_FILE).open("wb") as file:
            if self._plan.earlier is None:
                return 0

            for tombstone in self._plan.earlier.iter_tombstones(self._plan.find_reason):
                file.write(encode(tombstone) + b"\n")
                count += 1

        return count


class _Shard:
    """A file of rows that is being written."""

    def __init__(self, path: Path, view: View) -> None:
        # pyarrow is slow to import, and of no use to other verbs
        from crawler.dataset.rows.parquet_file import ParquetFile

        self._file: IO[bytes] = path.open("wb")
        self._parquet = ParquetFile(self._file, view.row_type, view.schema_name)

    def add(self, rows: Iterable[Any]) -> None:
        for row in rows:
            self._parquet.add(row)

    def is_full(self, max_rows: int) -> bool:
        is_long = self._parquet.row_count >= max_rows
        return is_long or self._parquet.measure_bytes() >= BYTES_PER_SHARD

    def close(self) -> int:
        """Finish the file, durably, and return how many rows it has."""
        with self._file:
            self._parquet.__exit__(None, None, None)
            self._file.flush()
            os.fsync(self._file.fileno())
        return self._parquet.row_count


def _describe_kernel(record: KernelRecord, rows: Iterable[Any]) -> ReleasedKernel:
    digest = hashlib.sha256()
    count = 0
    for row in rows:
        digest.update(encode(row) + b"\n")
        count += 1

    repo = record.provenance.repo
    return ReleasedKernel(
        kernel=compute_place_id(record),
        source=repo.source,
        owner=repo.owner,
        name=repo.name,
        commit=repo.commit,
        path=record.kernel.span.path,
        rows=count,
        digest=digest.hexdigest(),
    )


def _name_shard(number: int) -> str:
    return f"{number:05d}.parquet"


def _read_journal(root: Path, fingerprint: str) -> _Journal:
    """Return how far an interrupted release of the same index and options came."""
    with suppress(OSError, msgspec.MsgspecError):
        journal = decode((root / _JOURNAL_FILE).read_bytes(), _Journal)
        if journal.fingerprint == fingerprint and _has_whole_shards(root, journal):
            return journal

    return _Journal(fingerprint=fingerprint)


def _has_whole_shards(root: Path, journal: _Journal) -> bool:
    kernels_path = root / KERNELS_FILE
    paths: Iterator[Path] = (
        root / DATA_FOLDER / _name_shard(number) for number in range(journal.shards)
    )
    has_kernels = (
        kernels_path.is_file() and kernels_path.stat().st_size >= journal.kernel_bytes
    )
    return has_kernels and all(path.is_file() for path in paths)
