"""Bundled headers: parser shims and the preludes that kernel units compile against."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
HEADER_SUFFIXES = frozenset({"", ".h", ".hpp", ".cuh", ".hip", ".inl", ".txt"})


def list_header_files() -> tuple[Path, ...]:
    """Return every header of the tree, in a stable order."""
    found = (
        path
        for path in ROOT.rglob("*")
        if path.is_file() and path.suffix in HEADER_SUFFIXES
    )
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


@cache
def headers_digest() -> str:
    """Return the sha256 of the whole tree; part of what addresses a unit's facts and builds."""
    state = hashlib.sha256()
    for path in list_header_files():
        state.update(f"{path.relative_to(ROOT)}\0".encode())
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()
