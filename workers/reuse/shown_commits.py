"""Remember of which commits syntax alone has shown the kernels, until their batches are parsed.

It stands in no task of a batch: what a batch shows depends neither on the commit's name nor on the
targets that its units are compiled for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from workers.tasks.payloads import SnapshotPayload

if TYPE_CHECKING:
    from storage.open import Storage


def remember_shown(storage: Storage, database: str, commit: SnapshotPayload) -> None:
    """Remember that the kernels of a commit with this stored compile database were listed."""
    storage.source_memory.remember(_key_of(database), encode(commit))


def recall_shown(storage: Storage, database: str) -> SnapshotPayload | None:
    """Return the commit whose kernels were listed, if one was."""
    encoded_commit = storage.source_memory.recall(_key_of(database))
    return decode(encoded_commit, SnapshotPayload) if encoded_commit else None


def _key_of(database: str) -> str:
    return f"shown-commit:{database}"
