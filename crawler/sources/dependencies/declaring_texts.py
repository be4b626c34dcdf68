"""Read the files that declare dependencies, as much of them as an honest project has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from crawler.checkout.source_tree import SourceTree

_MAX_FILES: Final = 400
_MAX_FILE_BYTES: Final = 1 << 20
_MAX_BYTES: Final = 8 << 20


def iter_texts(
    tree: SourceTree,
    paths: Iterable[str],
    *,
    max_files: int = _MAX_FILES,
    max_bytes: int = _MAX_FILE_BYTES,
) -> Iterator[tuple[str, str]]:
    """Yield paths with their texts, each cut to `max_bytes`, until there are 8 MiB of them."""
    rest = _MAX_BYTES
    for path in islice(paths, max_files):
        content = tree.read_bytes(path)[: min(max_bytes, rest)]
        rest -= len(content)
        yield path, content.decode("utf-8", "replace")
        if not rest:
            return
