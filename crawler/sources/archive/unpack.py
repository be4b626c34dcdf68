"""Unpack untrusted archives within limits, regular files only."""

from __future__ import annotations

import shutil
from pathlib import Path

from crawler.errors import BadArchive, TooLarge
from crawler.sources import file_names
from crawler.sources.archive.reader import ArchiveMember, iter_members
from crawler.sources.interface import Limits


def unpack_archive(archive: Path, destination: Path, limits: Limits) -> None:
    """Put the archive's regular files under `destination`; links, devices and unprintable names
    are left out.

    Raises `BadArchive` for a corrupt archive or a member that would leave the folder,
    `TooLarge` over a limit; then
    nothing is left in `destination`.
    """
    try:
        left = limits.unpacked_bytes
        for member in iter_members(archive, limits):
            file_names.check_member_name(member.name)
            if (
                member.content is not None
                and file_names.is_printable_name(member.name)
                and member.size <= limits.file_bytes
            ):
                left -= _write(
                    member, destination / member.name, min(left, limits.file_bytes)
                )
    except BaseException:
        clear_folder(destination)
        raise


def clear_folder(folder: Path) -> None:
    """Remove whatever is in the folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _write(member: ArchiveMember, target: Path, most: int) -> int:
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
        for block in member.iter_blocks():
            written += len(block)
            if written > most:
                raise TooLarge(
                    "the archive unpacks to more than `unpacked_bytes`: raise that to take it"
                )
            opened.write(block)
    return written
