"""Durable file operations: atomic writes, hole punching, folder sync, and errors of full disks."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from crawler.errors import DiskFull

_DISK_FULL_CODES: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STALE_SECONDS: Final = 3600
# fallocate(2): FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE
_PUNCH_HOLE: Final = 0x01 | 0x02
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def write_atomically(path: Path, content: bytes, *, scratch: Path) -> None:
    """Write `path` durably by way of a temporary file in `scratch`, on the same file system."""
    temporary = scratch / uuid.uuid4().hex
    try:
        _write_new_file(temporary, content)
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            sync_folder(path.parent.parent)
        temporary.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise

    # a rename is durable once the folder that holds the name is
    sync_folder(path.parent)


def _write_new_file(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)

    try:
        write_fully(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_fully(descriptor: int, content: bytes) -> None:
    """Write all of `content`, however many calls it takes."""
    remaining = memoryview(content)
    while remaining:
        written = os.write(descriptor, remaining)
        remaining = remaining[written:]


def zero_range(descriptor: int, offset: int, length: int) -> None:
    """Zero these bytes of a file, and free whole blocks where the file system can."""
    failed = _LIBC.fallocate(
        descriptor,
        _PUNCH_HOLE,
        ctypes.c_int64(offset),
        ctypes.c_int64(length),
    )
    if failed:
        os.pwrite(descriptor, bytes(length), offset)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_stale_files(scratch: Path) -> None:
    """Remove what killed writers left in `scratch` over an hour ago."""
    for path in scratch.iterdir():
        with contextlib.suppress(OSError):
            age = time.time() - path.stat().st_mtime
            if age > _STALE_SECONDS:
                path.unlink()


@contextmanager
def translate_disk_full() -> Iterator[None]:
    """Raise `DiskFull` for each of the errors by which a disk or a quota says that it is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_FULL_CODES:
            raise
        place = f" for {error.filename}" if error.filename else ""
        raise DiskFull(
            f"There is no room{place} ({error.strerror});"
            " free some space and run again."
        ) from error
