"""Hugging Face exporter: a folder that `datasets.load_dataset` reads, with its card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.codec import encode
from crawler.dataset.cards.card import DATA_FOLDER, render_card
from crawler.dataset.cards.croissant import describe_in_croissant
from crawler.dataset.cards.facts import DatasetFacts
from crawler.dataset.cards.origin import DatasetOrigin
from crawler.dataset.destination import MARKER_FILE, create_folder_atomically
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.dataset.notices.notice_folder import NoticeFolder
from crawler.dataset.rows.json_schema import build_json_schema
from crawler.model import KernelRecord

if TYPE_CHECKING:
    from crawler.dataset.rows.parquet_file import ParquetFile

BYTES_PER_SHARD: Final = 400 << 20
"""A file that is larger is followed by another one."""


class HuggingFace:
    """Writes Parquet files for each split, a card, Croissant metadata and the rows' schema."""

    name = "huggingface"

    def write(
        self,
        view: View,
        records: Iterable[KernelRecord],
        destination: Path,
        context: RowContext,
    ) -> int:
        """Fill the folder `destination` and return how many rows are in it."""
        origin = context.origin or DatasetOrigin()
        facts = DatasetFacts()
        with create_folder_atomically(destination) as root:
            data_folder = root / DATA_FOLDER
            data_folder.mkdir()
            notices = NoticeFolder(root, context.read_content)
            with ExitStack() as stack:
                shards = _Shards(view, data_folder, stack)
                for record in records:
                    split = origin.choose_split(record)
                    rows = list(view.make_rows(record, context))
                    for row in rows:
                        shards.add(split, row)
                    facts.add(record, split, len(rows))
                    if rows:
                        notices.add(record)

            notices.close()
            shards.name_files()
            _describe(root, view, facts, origin)
            _write_manifest(root, view, facts)

        return facts.rows_by_split.total()


class _Shards:
    """The Parquet files of all splits, each split with one that is open."""

    def __init__(self, view: View, folder: Path, stack: ExitStack) -> None:
        self._view = view
        self._folder = folder
        self._stack = stack
        self._open_files: dict[str, tuple[ExitStack, ParquetFile]] = {}
        self._paths: dict[str, list[Path]] = {}

    def add(self, split: str, row: Any) -> None:
        """Append a row to the open file of a split."""
        if split not in self._open_files:
            self._open(split)

        file_stack, parquet_file = self._open_files[split]
        parquet_file.add(row)
        if parquet_file.measure_bytes() >= BYTES_PER_SHARD:
            file_stack.close()
            del self._open_files[split]

    def name_files(self) -> None:
        """Give the files, which are all closed, names that say how many there are."""
        for split, paths in self._paths.items():
            for number, path in enumerate(paths):
                name = f"{split}-{number:05d}-of-{len(paths):05d}.parquet"
                path.rename(path.with_name(name))

    def _open(self, split: str) -> None:
        # pyarrow is slow to import, and of no use to other verbs
        from crawler.dataset.rows.parquet_file import ParquetFile

        paths = self._paths.setdefault(split, [])
        path = self._folder / f"{split}-{len(paths):05d}.part"
        paths.append(path)
        file_stack = self._stack.enter_context(ExitStack())
        file = file_stack.enter_context(path.open("wb"))
        # without maps: `datasets` does not read them
        parquet_file = ParquetFile(file, self._view.row_type, self._view.schema_name)
        file_stack.enter_context(parquet_file)
        self._open_files[split] = file_stack, parquet_file


def _describe(
    root: Path, view: View, facts: DatasetFacts, origin: DatasetOrigin
) -> None:
    splits = sorted(facts.rows_by_split)
    licences = sorted({spdx for spdx, _ in facts.licences})
    card = render_card(view, facts, origin)
    (root / "README.md").write_text(card, "utf-8")
    _write_json(root / "croissant.json", describe_in_croissant(view, splits, licences))
    schema = build_json_schema(view.row_type, view.schema_name)
    _write_json(root / "schema.json", schema)


def _write_manifest(root: Path, view: View, facts: DatasetFacts) -> None:
    """Write the marker with the digest of every other file."""
    files = [
        {
            "path": path.relative_to(root).as_posix(),
            "bytes": path.stat().st_size,
            "sha256": _digest_file(path),
        }
        for path in sorted(root.rglob("*"))
        if path.is_file()
    ]
    marker = {
        "schema": view.schema_name,
        "rows": facts.rows_by_split.total(),
        "files": files,
    }
    (root / MARKER_FILE).write_bytes(encode(marker) + b"\n")


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", "utf-8")


PLUGIN: Final[Exporter] = HuggingFace()
