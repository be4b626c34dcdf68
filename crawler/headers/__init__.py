"""Bundled headers: parser shims and the preludes that kernel units compile against."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
HELPERS = ROOT / "helpers"
"""Headers for programs alone, whose projects mostly have some of these names themselves."""
HEADER_SUFFIXES = frozenset({"", ".h", ".hpp", ".cuh", ".hip", ".inl", ".txt"})


def list_header_files() -> tuple[Path, ...]:
    """Return every header that units may see, in a stable order."""
    headers = filter(_is_header, ROOT.rglob("*"))
    return tuple(sorted(headers))


def _is_header(path: Path) -> bool:
    if not path.is_file() or path.suffix not in HEADER_SUFFIXES:
        return False
    if path.parent == HELPERS:
        return False

    return "__pycache__" not in path.parts


@cache
def headers_digest() -> str:
    """Return the sha256 of the whole tree, part of the keys of a unit's facts and builds."""
    state = hashlib.sha256()
    for path in list_header_files():
        # NUL ends the name: no name holds one, so no two trees have the same bytes
        name = path.relative_to(ROOT)
        state.update(f"{name}\0".encode())
        content = hashlib.sha256(path.read_bytes())
        state.update(content.digest())

    return state.hexdigest()


def drop_place(text: str) -> str:
    """Return what names our headers without the folder in which they happen to lie."""
    return text.replace(str(ROOT), "")
