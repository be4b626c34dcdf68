"""Mark phase of garbage collection: digests that rows and stored lists reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, select

from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.database.chunks import iter_slices
from storage.tables import BLOB, KERNEL_TEXT, MEMORY, METADATA, PACK, TASK

PURGE_PLAN_KEY: Final = "purge"
"""Memory entry of the blobs that a purge has yet to erase, which does not keep them alive."""
# any list that we store, whatever its form: what looks like a digest keeps its blob
_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_MAX_LIST_BYTES: Final = 8 << 20
"""Size of the largest blob that is searched: lists of kernels and of runs are far smaller."""
_BLOBS_PER_READ: Final = 200
_ROWS_PER_FETCH: Final = 1000
_IS_NO_PURGE_PLAN: Final = MEMORY.c.key != PURGE_PLAN_KEY


def find_digests(rows: Iterable[Any]) -> Iterator[str]:
    """Yield every digest that a value of the rows is, or contains."""
    for row in rows:
        for value in row:
            if isinstance(value, bytes):
                yield from _find_digests_in_bytes(value)
            elif isinstance(value, str):
                yield from _DIGEST.findall(value)


def _find_digests_in_bytes(content: bytes) -> list[str]:
    return _DIGEST.findall(content.decode("utf-8", "replace"))


def referenced_digests(connection: Connection) -> set[str]:
    """Return every digest that a row of any table but those of blobs contains."""
    digests: set[str] = set()
    for table in METADATA.sorted_tables:
        # words of sources name no blob
        if table in (BLOB, PACK, KERNEL_TEXT):
            continue

        statement = select(table)
        if table is MEMORY:
            statement = statement.where(_IS_NO_PURGE_PLAN)

        # a table of a large store does not fit into memory
        options = {"yield_per": _ROWS_PER_FETCH}
        rows = connection.execute(statement, execution_options=options)
        digests.update(find_digests(rows))

    return digests


def live_digests(connection: Connection, blobs: IndexedBlobStore) -> set[str]:
    """Return every digest that a row references, directly or through stored lists.

    Tasks and memory entries reference lists of digests, which may reference further lists.
    """
    live = referenced_digests(connection)
    task_values = select(TASK.c.payload, TASK.c.result)
    memory_values = select(MEMORY.c.value).where(_IS_NO_PURGE_PLAN)
    tasks = connection.execute(task_values).all()
    memory = connection.execute(memory_values).all()
    # only tasks and memory entries name lists
    frontier = set(find_digests([*tasks, *memory]))

    while frontier:
        ordered = sorted(frontier)
        listed = set(_find_in_lists(connection, blobs, ordered))
        frontier = listed - live
        live |= listed

    return live


def _find_in_lists(
    connection: Connection, blobs: IndexedBlobStore, digests: list[str]
) -> Iterator[str]:
    """Yield the digests in those of the blobs that are JSON lists or objects."""
    for chunk in iter_slices(digests, _BLOBS_PER_READ):
        is_in_chunk = BLOB.c.digest.in_(chunk)
        is_small = BLOB.c.size <= _MAX_LIST_BYTES
        small = select(BLOB.c.digest).where(is_in_chunk, is_small)
        small_digests = connection.scalars(small).all()

        for content in blobs.get_many(small_digests):
            # a source text may hold digests too, which mean nothing
            if content[:1] in (b"[", b"{"):
                yield from _find_digests_in_bytes(content)
