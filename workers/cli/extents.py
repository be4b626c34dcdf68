"""How a command says where the sizes of a kernel's memory came from."""

from __future__ import annotations

from typing import Final

_MEANINGS: Final = {
    "launcher": "its launcher allocates every buffer that it touches",
    "inferred": "its launcher tells the size of some buffers only",
    "unproven": "memory is as large as what it touches, so nothing shows that it stays within",
}


def describe_extents(extents: str) -> str:
    """Return the word with what it means."""
    return f"{extents}: {_MEANINGS[extents]}"
