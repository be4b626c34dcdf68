"""Write files and folders atomically."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from crawler.errors import Misconfigured

MARKER_FILE: Final = "kernelset.json"
"""Lies in the root of every folder that we wrote, and is written last."""


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
