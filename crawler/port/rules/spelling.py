"""How a table of names is written where only the beginning differs."""

from __future__ import annotations


def same(cuda: str, hip: str, stems: str) -> dict[str, str]:
    """Return names that begin with `cuda` to those that begin with `hip`, for stems separated by blanks."""
    return {cuda + stem: hip + stem for stem in stems.split()}
