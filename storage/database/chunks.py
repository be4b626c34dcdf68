"""Cut key lists into chunks that fit the parameters of one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

CHUNK_SIZE: Final = 500
"""Values in one IN list."""
Key = TypeVar("Key", int, str)
Item = TypeVar("Item")


def iter_chunks(keys: Iterable[Key]) -> Iterable[Sequence[Key]]:
    """Sort `keys` and cut them into chunks that fit one statement."""
    return iter_slices(sorted(keys), CHUNK_SIZE)


def iter_slices(items: Sequence[Item], size: int) -> Iterable[Sequence[Item]]:
    """Cut `items` into slices of at most `size`, keeping their order."""
    return (items[start : start + size] for start in range(0, len(items), size))
