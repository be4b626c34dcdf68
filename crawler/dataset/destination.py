"""Write files and folders atomically, and guard existing ones against replacement."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from crawler.dataset.rows.row import SCHEMA_NAME
from crawler.errors import Misconfigured

MARKER_FILE: Final = "kernelset.json"
"""Lies in the root of every folder that we wrote."""
_SNIFFED: Final = 256
_PARQUET: Final = b"PAR1"
_FOOTER: Final = 1 << 20
"""Where Parquet keeps its metadata."""


@contextmanager
def create_file_atomically(destination: Path) -> Iterator[IO[bytes]]:
    """Give a file to write; it takes its name when the block has ended well, and leaves nothing
    behind otherwise.
    """
    part = _part(destination)
    with part.open("ab") as file, _locked(file.fileno(), destination):
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
    part = _part(destination)
    part.mkdir(exist_ok=True)
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _locked(descriptor, destination):
            _empty(part)
            try:
                yield part
                _swap(part, destination)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
    finally:
        os.close(descriptor)


def can_replace(destination: Path) -> bool:
    """Tell whether nothing of anyone else's would be lost: it is not there, is empty, or was
    written by us.
    """
    if destination.is_symlink() or not destination.exists():
        return not destination.is_symlink()
    if destination.is_dir():
        return (destination / MARKER_FILE).is_file() or not any(destination.iterdir())
    return destination.is_file() and _is_ours(destination)


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_SNIFFED)
        if start.startswith(_PARQUET):
            file.seek(max(0, path.stat().st_size - _FOOTER))
            return SCHEMA_NAME.encode() in file.read()
    return not start or start.startswith(f'{{"schema":"{SCHEMA_NAME}"'.encode())


def _part(destination: Path) -> Path:
    parent = destination.parent
    if not parent.is_dir():
        raise Misconfigured(
            f"there is no folder {parent}: make it first", code="no-such-folder"
        )
    return parent / f".{destination.name}.kernelset-part"


@contextmanager
def _locked(descriptor: int, destination: Path) -> Iterator[None]:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Misconfigured(
            f"{destination} is being written by another export: wait for it",
            code="busy",
        ) from None
    yield


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _swap(part: Path, destination: Path) -> None:
    old = destination.parent / f".{destination.name}.kernelset-old"
    shutil.rmtree(old, ignore_errors=True)
    if destination.exists():
        destination.rename(old)
    part.rename(destination)
    shutil.rmtree(old, ignore_errors=True)
