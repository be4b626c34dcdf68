"""Which contents are still wanted: every digest that a row names, and those that stored lists name in their turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, select

from storage.joins import TASK
from storage.placed import BLOB, PACK, PlacedBlobs
from storage.tables import METADATA, Remembered, table

MEMORY: Final = table(Remembered)
PLAN: Final = "purge"
"""Under this key the bytes are named that a purge has yet to erase: they are wanted no more."""
_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LISTS: Final = 8 << 20
"""Bytes of the largest blob that is looked into: lists of kernels and of runs are far smaller."""
_AT_ONCE: Final = 200


def digests_in(rows: Iterable[Any]) -> Iterator[str]:
    """Yield every digest that a value of the rows is, or names."""
    for row in rows:
        for value in row:
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            if isinstance(text, str):
                yield from _DIGEST.findall(text)


def named(connection: Connection) -> set[str]:
    """Return every digest that a row names, of whatever table."""
    found: set[str] = set()
    for each in METADATA.sorted_tables:
        if each not in (BLOB, PACK):
            wanted = select(each)
            rows = wanted.where(MEMORY.c.key != PLAN) if each is MEMORY else wanted
            found.update(digests_in(connection.execute(rows, execution_options={"yield_per": 1000})))
    return found


def reached(connection: Connection, blobs: PlacedBlobs) -> set[str]:
    """Return every digest that a row names, and all that stored lists name which tasks and what is remembered name."""
    wanted = named(connection)
    works = connection.execute(select(TASK.c.payload, TASK.c.result)).all()
    kept = connection.execute(select(MEMORY.c.value).where(MEMORY.c.key != PLAN)).all()
    edge = set(digests_in([*works, *kept]))
    while edge:
        inner = set(_in_lists(connection, blobs, sorted(edge)))
        edge = inner - wanted
        wanted |= inner
    return wanted


def _in_lists(connection: Connection, blobs: PlacedBlobs, digests: list[str]) -> Iterator[str]:
    for start in range(0, len(digests), _AT_ONCE):
        some = BLOB.c.digest.in_(digests[start : start + _AT_ONCE])
        lists = connection.scalars(select(BLOB.c.digest).where(some, BLOB.c.size <= _LISTS)).all()
        for content in blobs.get_many(lists):
            if content[:1] in (b"[", b"{"):
                yield from _DIGEST.findall(content.decode("utf-8", "replace"))
