"""Give a closure the fragments that a smaller text of its unit has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crawler.extract.ladder.unused.macros import blank_empty_scopes
from crawler.model import Closure


def cut_closure(
    closure: Closure, text: str, ranges: Sequence[tuple[int, int]]
) -> Closure:
    """Return a closure whose fragments stand in `ranges` of a text, some of it blank by now."""
    fragments = [text[start:end] for start, end in ranges]
    is_left = [bool(blank_empty_scopes(fragment).strip()) for fragment in fragments]
    return replace(
        closure,
        # what replaces fragments counts them, so that those that are gone are empty
        fragments=tuple(
            fragment if is_kept else ""
            for fragment, is_kept in zip(fragments, is_left, strict=True)
        ),
        origins=tuple(
            origin if is_kept else None
            for origin, is_kept in zip(closure.origins, is_left, strict=False)
        ),
    )
