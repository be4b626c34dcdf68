"""Shorten text to what a B-tree index entry can hold, keeping different texts different."""

from __future__ import annotations

import hashlib
from typing import Final

MAX_INDEXED_BYTES: Final = 1000
"""Bytes; two such, a repository and a commit fit one entry of an index."""
_MARK: Final = 16


def shorten_for_index(text: str) -> str:
    """Return `text`, or of a longer one its start and a piece of its digest: different texts
    stay different.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_INDEXED_BYTES:
        return text
    start = encoded[: MAX_INDEXED_BYTES - _MARK - 3].decode("utf-8", "ignore")
    return f"{start}…{hashlib.sha256(encoded).hexdigest()[:_MARK]}"
