"""Mark phase of garbage collection: digests that rows reference, directly or through stored
lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, select

from storage.blobs.indexed_blobs import BLOB, PACK, IndexedBlobStore
from storage.ledger.dependencies import TASK
from storage.tables import METADATA, MemoryEntry, table

MEMORY: Final = table(MemoryEntry)
PURGE_PLAN_KEY: Final = "purge"
"""Under this key the bytes are named that a purge has yet to erase: they are wanted no more."""
_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LISTS: Final = 8 << 20
"""Bytes of the largest blob that is looked into: lists of kernels and of runs are far smaller."""
_AT_ONCE: Final = 200


def find_digests(rows: Iterable[Any]) -> Iterator[str]:
    """Yield every digest that a value of the rows is, or names."""
    for row in rows:
        for value in row:
            text = (
                value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            )
            if isinstance(text, str):
                yield from _DIGEST.findall(text)


def referenced_digests(connection: Connection) -> set[str]:
    """Return every digest that a row names, of whatever table."""
    found: set[str] = set()
    for each in METADATA.sorted_tables:
        if each not in (BLOB, PACK):
            wanted = select(each)
            rows = (
                wanted.where(MEMORY.c.key != PURGE_PLAN_KEY)
                if each is MEMORY
                else wanted
            )
            found.update(
                find_digests(
                    connection.execute(rows, execution_options={"yield_per": 1000})
                )
            )
    return found


def live_digests(connection: Connection, blobs: IndexedBlobStore) -> set[str]:
    """Return every digest that a row names, and all that stored lists name which tasks and what
    is remembered name.
    """
    wanted = referenced_digests(connection)
    works = connection.execute(select(TASK.c.payload, TASK.c.result)).all()
    kept = connection.execute(
        select(MEMORY.c.value).where(MEMORY.c.key != PURGE_PLAN_KEY)
    ).all()
    edge = set(find_digests([*works, *kept]))
    while edge:
        inner = set(_in_lists(connection, blobs, sorted(edge)))
        edge = inner - wanted
        wanted |= inner
    return wanted


def _in_lists(
    connection: Connection, blobs: IndexedBlobStore, digests: list[str]
) -> Iterator[str]:
    for start in range(0, len(digests), _AT_ONCE):
        some = BLOB.c.digest.in_(digests[start : start + _AT_ONCE])
        lists = connection.scalars(
            select(BLOB.c.digest).where(some, BLOB.c.size <= _LISTS)
        ).all()
        for content in blobs.get_many(lists):
            if content[:1] in (b"[", b"{"):
                yield from _DIGEST.findall(content.decode("utf-8", "replace"))
