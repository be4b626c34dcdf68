"""Unified diff of a source before and after porting."""

from __future__ import annotations

import difflib
from collections.abc import Iterator


def iter_diff_lines(before: str, after: str, name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, without line ends; none where nothing changed."""
    lines_before = before.split("\n")
    lines_after = after.split("\n")
    yield from difflib.unified_diff(
        lines_before,
        lines_after,
        fromfile=f"a/{name}",
        tofile=f"b/{name}",
        lineterm="",
    )
