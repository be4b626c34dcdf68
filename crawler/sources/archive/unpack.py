"""Unpack untrusted archives within limits, regular files only."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import BinaryIO

from crawler.errors import BadArchive, TooLarge
from crawler.sources import file_names
from crawler.sources.archive.reader import ArchiveMember, iter_members
from crawler.sources.interface import Limits


def unpack_archive(archive: Path, destination: Path, limits: Limits) -> None:
    """Put the archive's regular files under `destination`.

    Links, devices and files over the limit on a file are left out, and names are spelled as
    text. Raises `BadArchive` for a corrupt archive or a member that would leave the folder, and
    `TooLarge` over a limit; then nothing is left in `destination`.
    """
    try:
        # Counted by what is written, whatever the members claim.
        remaining_bytes = limits.unpacked_bytes
        for member in iter_members(archive, limits):
            file_names.check_member_name(member.name)
            if not _is_unpacked(member, limits):
                continue

            remaining_bytes -= _write_member(
                member,
                destination / file_names.spell_path(member.name),
                max_bytes=min(remaining_bytes, limits.file_bytes),
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


def _is_unpacked(member: ArchiveMember, limits: Limits) -> bool:
    return member.content is not None and member.size <= limits.file_bytes


def _write_member(member: ArchiveMember, target: Path, max_bytes: int) -> int:
    """Write a member, and return its size."""
    size = 0
    with _create_file(member, target) as file:
        # The size that an archive claims is not to be trusted.
        for block in member.iter_blocks():
            size += len(block)
            if size > max_bytes:
                raise TooLarge(
                    "the archive unpacks to more than `unpacked_bytes`: "
                    "raise that to take it"
                )

            file.write(block)

    return size


def _create_file(member: ArchiveMember, target: Path) -> BinaryIO:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Of two members of one name the later one wins, as in tar.
        target.unlink(missing_ok=True)
        return target.open("xb")
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise BadArchive(
            f"{member.name[:80]!r} is both a file and a folder in the archive: "
            "it is refused, report it to its author"
        ) from error
