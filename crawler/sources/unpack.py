"""Unpacks archives that may be hostile: regular files only, inside the folder, within limits."""

from __future__ import annotations

import shutil
from pathlib import Path

from crawler.errors import BadArchive, TooLarge
from crawler.sources import names
from crawler.sources.archives import Member, members
from crawler.sources.interface import Limits


def unpack(archive: Path, destination: Path, limits: Limits) -> None:
    """Put the archive's regular files under `destination`; links, devices and unprintable names are left out.

    Raises `BadArchive` for a corrupt archive or a member that would leave the folder, `TooLarge` over a limit; then
    nothing is left in `destination`.
    """
    try:
        left = limits.unpacked_bytes
        for member in members(archive, limits):
            names.check(member.name)
            if member.content is not None and names.is_plain(member.name) and member.size <= limits.file_bytes:
                left -= _write(member, destination / member.name, min(left, limits.file_bytes))
    except BaseException:
        empty(destination)
        raise


def empty(folder: Path) -> None:
    """Remove whatever is in the folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _write(member: Member, target: Path, most: int) -> int:
    """Write a member and return its size; a later one of the same name wins, as tar has it."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        opened = target.open("xb")
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        why = f"{member.name[:80]!r} is both a file and a folder in the archive"
        raise BadArchive(f"{why}: it is refused, report it to its author") from error
    written = 0
    with opened:
        for block in member.blocks():
            written += len(block)
            if written > most:
                raise TooLarge("the archive unpacks to more than `unpacked_bytes`: raise that to take it")
            opened.write(block)
    return written
