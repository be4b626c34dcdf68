"""Text as an index can hold it: a page of Postgres's B-tree takes 2.7 kB, and a stranger's names may be longer."""

from __future__ import annotations

import hashlib
from typing import Final

LIMIT: Final = 1000
"""Bytes; two such, a repository and a commit fit one entry of an index."""
_MARK: Final = 16


def bounded(text: str) -> str:
    """Return `text`, or of a longer one its start and a piece of its digest: different texts stay different."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= LIMIT:
        return text
    start = encoded[: LIMIT - _MARK - 3].decode("utf-8", "ignore")
    return f"{start}…{hashlib.sha256(encoded).hexdigest()[:_MARK]}"
