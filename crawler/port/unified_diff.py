"""Unified diff of a source before and after porting."""

from __future__ import annotations

import difflib
from collections.abc import Iterator


def iter_diff_lines(before: str, after: str, name: str) -> Iterator[str]:
    """Yield the lines of a unified diff, without line ends; none where nothing changed."""
    yield from difflib.unified_diff(
        before.split("\n"), after.split("\n"), f"a/{name}", f"b/{name}", lineterm=""
    )
