"""Write files and folders atomically, and guard existing ones against replacement."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from crawler.errors import Misconfigured

MARKER_FILE: Final = "kernelset.json"
"""Lies in the root of every folder that we wrote, and is written last."""
_START_BYTES: Final = 256
_PARQUET_MAGIC: Final = b"PAR1"
_PARQUET_FOOTER_BYTES: Final = 1 << 20
"""Where Parquet keeps its metadata: at the end of the file."""
_SCHEMA_NAME: Final = rb"kernelset\.[a-z]++/[0-9]++"
"""Of any view, in any version of it."""
# What is not JSON says so in its first word.
_FILE_START: Final = re.compile(
    rb'(?:\{"schema":"' + _SCHEMA_NAME + rb'"|' + _SCHEMA_NAME + rb"(?![\w/]))"
)
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_NOTE_MAGIC: Final = b"\x50\x2a\x4d\x18"
"""Begins a skippable frame: readers pass over it (RFC 8878, section 3.1.2)."""
_SQLITE_MAGIC: Final = b"SQLite format 3\0"
_SQLITE_APPLICATION_ID_PLACE: Final = slice(68, 72)
"""In the header of a database (https://www.sqlite.org/fileformat2.html)."""
SQLITE_APPLICATION_ID: Final = 0x6B736574
"""Says that we wrote a database: `kset`."""
_ZSTD_NOTE: Final = re.compile(
    re.escape(_ZSTD_NOTE_MAGIC) + rb".{4}" + _SCHEMA_NAME + rb"\Z", re.DOTALL
)
_PARQUET_SCHEMA: Final = re.compile(rb"(?<![\w/])" + _SCHEMA_NAME)


@contextmanager
def create_file_atomically(destination: Path) -> Iterator[IO[bytes]]:
    """Give a file to write; it takes its name when the block has ended well, and leaves nothing
    behind otherwise.
    """
    part = _part_path(destination)
    # Appending, since another export may be writing this file: nothing is lost before the lock.
    with part.open("ab") as file, _lock(file.fileno(), destination):
        file.truncate(0)
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(destination)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


@contextmanager
def create_folder_atomically(destination: Path) -> Iterator[Path]:
    """Give an empty folder to fill; it takes the place of `destination` when the block has
    ended well.
    """
    part = _part_path(destination)
    part.mkdir(exist_ok=True)
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _lock(descriptor, destination):
            remove_entries(part)
            try:
                yield part
                _replace_folder(destination, part)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
    finally:
        os.close(descriptor)


@contextmanager
def open_resumable_folder(destination: Path) -> Iterator[Path]:
    """Give a folder to fill, with what an interrupted block left in it; it takes the place of
    `destination` when a block has ended well, and is kept otherwise.
    """
    part = _part_path(destination)
    part.mkdir(exist_ok=True)
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _lock(descriptor, destination):
            yield part
            _replace_folder(destination, part)
    finally:
        os.close(descriptor)


def can_replace(destination: Path) -> bool:
    """Tell whether nothing of anyone else's would be lost: it is not there, is empty, or was
    written by us and left as it was.
    """
    if destination.is_symlink():
        return False

    if not destination.exists():
        return True

    if destination.is_dir():
        if not any(destination.iterdir()):
            return True
        marker = destination / MARKER_FILE
        return marker.is_file() and not _has_later_entries(destination, marker)

    return destination.is_file() and _is_dataset_file(destination)


def make_zstd_note(schema_name: str) -> bytes:
    """Return what ends a zstd file of ours, by which `can_replace` knows it."""
    note = schema_name.encode()
    return _ZSTD_NOTE_MAGIC + len(note).to_bytes(4, "little") + note


def _has_later_entries(folder: Path, marker: Path) -> bool:
    """Tell whether something was added or changed since the marker, which is written last.

    The time of an entry's last change cannot be set back, as that of its content can.
    """
    marker_time = marker.stat().st_ctime_ns
    return any(entry.lstat().st_ctime_ns > marker_time for entry in folder.rglob("*"))


def _is_dataset_file(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
        if start.startswith(_PARQUET_MAGIC):
            footer_start = max(0, path.stat().st_size - _PARQUET_FOOTER_BYTES)
            file.seek(footer_start)
            return _PARQUET_SCHEMA.search(file.read()) is not None

        if start.startswith(_ZSTD_MAGIC):
            file.seek(max(0, path.stat().st_size - _START_BYTES))
            return _ZSTD_NOTE.search(file.read()) is not None

    if start.startswith(_SQLITE_MAGIC):
        own_id = SQLITE_APPLICATION_ID.to_bytes(4, "big")
        return start[_SQLITE_APPLICATION_ID_PLACE] == own_id

    # an empty file holds nothing of anyone's
    if not start:
        return True

    return _FILE_START.match(start) is not None


def _part_path(destination: Path) -> Path:
    """Return where to write before `destination` takes its name: a rename works within one
    file system only.
    """
    parent = destination.parent
    if not parent.is_dir():
        raise Misconfigured(
            f"there is no folder {parent}: make it first", code="no-such-folder"
        )
    return parent / f".{destination.name}.kernelset-part"


@contextmanager
def _lock(descriptor: int, destination: Path) -> Iterator[None]:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Misconfigured(
            f"{destination} is being written by another export: wait for it",
            code="busy",
        ) from None
    yield


def remove_entries(folder: Path, kept_names: Container[str] = ()) -> None:
    """Remove what lies in a folder, but entries with one of the names."""
    for entry in folder.iterdir():
        if entry.name in kept_names:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _replace_folder(destination: Path, part: Path) -> None:
    # A folder cannot be renamed onto one that holds files: the old one steps aside first.
    old = destination.parent / f".{destination.name}.kernelset-old"
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        destination.rename(old)
    part.rename(destination)
    shutil.rmtree(old, ignore_errors=True)
