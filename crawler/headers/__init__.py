"""Our own headers: shims to parse with, and the preludes that units are compiled against."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
SUFFIXES = frozenset({"", ".h", ".hpp", ".cuh", ".hip", ".inl", ".txt"})


def files() -> tuple[Path, ...]:
    """Return every header of the tree, in a stable order."""
    found = (path for path in ROOT.rglob("*") if path.is_file() and path.suffix in SUFFIXES)
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


@cache
def digest() -> str:
    """Return the sha256 of the whole tree; part of what addresses a unit's facts and builds."""
    state = hashlib.sha256()
    for path in files():
        state.update(f"{path.relative_to(ROOT)}\0".encode())
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()
