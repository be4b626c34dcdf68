"""The files of a checkout, as build systems look at them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A checkout's root and its regular files, relative to it and sorted."""

    root: Path
    files: tuple[str, ...]
