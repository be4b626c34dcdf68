"""Unpacks archives that may be hostile: regular files only, inside the folder, within limits."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from crawler.errors import BadArchive, TooLarge
from crawler.sources.interface import Limits

SUFFIXES: Final = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
_BROKEN: Final = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, OSError, RuntimeError)
_BLOCK: Final = 1 << 20
_LONGEST_PATH: Final = 1_000
_LONGEST_NAME: Final = 255


def unpack(archive: Path, destination: Path, limits: Limits) -> None:
    """Put the archive's regular files under `destination`; links and devices are left out.

    Raises `BadArchive` for a corrupt archive or a member that would leave the folder, `TooLarge` over a limit; then
    nothing is left in `destination`.
    """
    try:
        _write(_members(archive), destination, limits)
    except _BROKEN as error:
        _empty(destination)
        if isinstance(error, OSError) and error.filename is not None and error.errno is not None:
            raise
        raise BadArchive(
            f"{archive.name} cannot be unpacked ({error}): fetch it again, or report it upstream"
        ) from error
    except (BadArchive, TooLarge):
        _empty(destination)
        raise


def _members(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    if archive.name.endswith(".zip"):
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                if not entry.is_dir() and (entry.external_attr >> 28) in (0, 0o10):
                    with opened.open(entry) as stream:
                        yield entry.filename, entry.file_size, stream
        return
    with tarfile.open(archive, "r|*") as opened_tar:
        for member in opened_tar:
            content = opened_tar.extractfile(member) if member.isreg() else None
            _refuse(member.name)
            if content is not None:
                yield member.name, member.size, content


def _write(members: Iterator[tuple[str, int, IO[bytes]]], destination: Path, limits: Limits) -> None:
    count = total = 0
    for name, size, stream in members:
        _refuse(name)
        count += 1
        if count > limits.files:
            raise TooLarge(f"the archive has over {limits.files} files: raise the limit to take it")
        if size > limits.file_bytes:
            continue
        total += _copy(stream, destination / name, limits.file_bytes, limits.unpacked_bytes - total)


def _refuse(name: str) -> None:
    path = PurePosixPath(name)
    parts = path.parts
    bad = path.is_absolute() or ".." in parts or "\0" in name or not parts or "\\" in name
    if bad or len(name.encode("utf-8", "surrogateescape")) > _LONGEST_PATH:
        raise BadArchive(f"a member is called {name[:80]!r}, which would leave its folder: the archive is refused")
    if any(len(part.encode("utf-8", "surrogateescape")) > _LONGEST_NAME for part in parts):
        raise BadArchive(f"a member's name is too long ({name[:40]!r}…): the archive is refused")


def _copy(stream: IO[bytes], target: Path, most: int, left: int) -> int:
    """Copy a member, whatever size it claimed; a later one of the same name wins, as tar has it."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        written = 0
        with target.open("xb") as opened:
            while block := stream.read(_BLOCK):
                written += len(block)
                if written > most or written > left:
                    raise TooLarge("the archive unpacks to more than the limit: raise the limit to take it")
                opened.write(block)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise BadArchive(f"{target.name!r} is both a file and a folder in the archive: it is refused") from error
    return written


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
