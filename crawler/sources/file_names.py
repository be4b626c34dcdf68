"""Validate file names of untrusted archives and trees."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from crawler.errors import BadArchive

_LONGEST_PATH: Final = 1_000
_LONGEST_NAME: Final = 255


def check_member_name(name: str) -> None:
    """Raise `BadArchive` for a path that would leave its folder, or that no file system takes."""
    path = PurePosixPath(name)
    parts = path.parts
    if path.is_absolute() or ".." in parts or "\0" in name or not parts or "\\" in name:
        raise _refused(
            f"a member is called {name[:80]!r}, which would leave its folder"
        )
    if _size(name) > _LONGEST_PATH or any(
        _size(part) > _LONGEST_NAME for part in parts
    ):
        raise _refused(f"a member's name is too long ({name[:40]!r}…)")


def is_printable_name(name: str) -> bool:
    """Tell whether a path is text without control characters: no other one can be stored, nor
    named to a compiler.
    """
    return name.isprintable()


def _size(name: str) -> int:
    return len(name.encode("utf-8", "surrogateescape"))


def _refused(why: str) -> BadArchive:
    return BadArchive(f"{why}: the archive is refused, report it to its author")
