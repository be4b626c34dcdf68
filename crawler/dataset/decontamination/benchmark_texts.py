"""Read the texts of a benchmark: a folder, JSON Lines or Parquet, with whatever columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crawler.errors import Misconfigured

_MAX_FILE_BYTES: Final = 16 << 20
"""Of a source in a folder: they are far smaller, and other things are skipped."""
_MAX_LINE_BYTES: Final = 64 << 20
_DATA_SUFFIXES: Final = (".json", ".jsonl")
"""Of files that hold rows: they may be large, and none is skipped."""
_MARKER: Final = "__global__"
"""A text without it holds no kernel."""


@dataclass(frozen=True, slots=True)
class BenchmarkText:
    """A text in which kernels of a benchmark stand."""

    item: str
    """Where it stands: the file in its folder, or file, row and column."""
    text: str


def iter_benchmark_texts(path: Path) -> Iterator[BenchmarkText]:
    """Yield the texts with kernels of a folder or a file, in a fixed order.

    Raises `Misconfigured` (`bad-benchmark`) for what cannot be read.
    """
    try:
        if path.is_dir():
            yield from _iter_folder(path)
        elif path.suffix == ".parquet":
            yield from _iter_parquet(path, path.name)
        else:
            yield from _iter_file(path, path.name)
    except (OSError, ValueError, RecursionError) as error:
        raise Misconfigured(
            f"the benchmark {path} cannot be read ({error}): "
            "give a folder, or a file of JSON Lines or Parquet",
            code="bad-benchmark",
        ) from error


def _iter_folder(folder: Path) -> Iterator[BenchmarkText]:
    for path in sorted(folder.rglob("*")):
        # a link may lead anywhere
        if path.is_symlink() or not path.is_file():
            continue

        name = path.relative_to(folder).as_posix()
        if path.suffix == ".parquet":
            yield from _iter_parquet(path, name)
        elif path.suffix in _DATA_SUFFIXES or path.stat().st_size <= _MAX_FILE_BYTES:
            yield from _iter_file(path, name)


def _iter_file(path: Path, name: str) -> Iterator[BenchmarkText]:
    if path.suffix == ".jsonl":
        yield from _iter_json_lines(path, name)
        return

    # a mark of byte order would be no JSON
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    if path.suffix == ".json":
        yield from _iter_strings(json.loads(text), name)
    elif _MARKER in text:
        yield BenchmarkText(name, text)


def _iter_json_lines(path: Path, name: str) -> Iterator[BenchmarkText]:
    with path.open("rb") as file:
        for number, line in enumerate(_iter_lines(file), 1):
            if line.strip():
                # an escape may hide the marker: each line is decoded
                yield from _iter_strings(json.loads(line), f"{name}:{number}")


def _iter_lines(file: Any) -> Iterator[bytes]:
    while line := file.readline(_MAX_LINE_BYTES):
        if len(line) == _MAX_LINE_BYTES:
            raise ValueError(f"a line is longer than {_MAX_LINE_BYTES} bytes")
        yield line


def _iter_parquet(path: Path, name: str) -> Iterator[BenchmarkText]:
    # slow to import, and of no use to other verbs
    from pyarrow import ArrowException, parquet

    number = 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield from _iter_strings(row, f"{name}:{number}")
    except ArrowException as error:
        raise ValueError(str(error)) from error


def _iter_strings(value: object, item: str) -> Iterator[BenchmarkText]:
    """Yield the strings of a JSON value that hold kernels, with the keys that lead to them."""
    if isinstance(value, str):
        if _MARKER in value:
            yield BenchmarkText(item, value)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _iter_strings(part, f"{item}.{key}")
    elif isinstance(value, list):
        for position, part in enumerate(value):
            yield from _iter_strings(part, f"{item}[{position}]")
