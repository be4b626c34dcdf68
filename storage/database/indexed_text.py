"""Shorten text to what a B-tree index entry can hold, keeping different texts different."""

from __future__ import annotations

import hashlib
from typing import Final

MAX_INDEXED_BYTES: Final = 1000
"""Bytes; two such texts, a repository and a commit fit one entry of an index."""
_DIGEST_CHARACTERS: Final = 16
_ELLIPSIS_BYTES: Final = 3


def shorten_for_index(text: str) -> str:
    """Return `text`, or the start of a longer one with a piece of its digest.

    Two different texts stay different.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_INDEXED_BYTES:
        return text

    digest = hashlib.sha256(encoded).hexdigest()[:_DIGEST_CHARACTERS]
    end = MAX_INDEXED_BYTES - _DIGEST_CHARACTERS - _ELLIPSIS_BYTES
    # "ignore" drops a character that the cut has torn
    start = encoded[:end].decode("utf-8", "ignore")

    return f"{start}…{digest}"
