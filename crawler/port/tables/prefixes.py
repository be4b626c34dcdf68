"""Build a name table whose entries differ only in their prefix."""

from __future__ import annotations


def map_prefix(cuda: str, hip: str, stems: str) -> dict[str, str]:
    """Return names that begin with `cuda` to those that begin with `hip`, for stems separated
    by blanks.
    """
    return {cuda + stem: hip + stem for stem in stems.split()}
