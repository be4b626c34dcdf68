"""Validate file names of untrusted archives and trees."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from crawler.errors import BadArchive

# In bytes, as Linux file systems count them.
_MAX_PATH_BYTES: Final = 1_000
_MAX_NAME_BYTES: Final = 255


def check_member_name(name: str) -> None:
    """Raise `BadArchive` for a path that leaves its folder, or that no file system accepts."""
    path = PurePosixPath(name)
    parts = path.parts
    leaves_folder = path.is_absolute() or ".." in parts or not parts
    # Windows takes a backslash for a separator.
    if leaves_folder or "\0" in name or "\\" in name:
        raise _make_error(
            f"a member is called {name[:80]!r}, which would leave its folder"
        )

    longest_part = max(_count_bytes(part) for part in parts)
    if _count_bytes(name) > _MAX_PATH_BYTES or longest_part > _MAX_NAME_BYTES:
        raise _make_error(f"a member's name is too long ({name[:40]!r}…)")


def is_printable_name(name: str) -> bool:
    """Tell whether a path is text without control characters.

    Any other path can neither be stored nor be named to a compiler.
    """
    return name.isprintable()


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _make_error(reason: str) -> BadArchive:
    return BadArchive(f"{reason}: the archive is refused, report it to its author")
