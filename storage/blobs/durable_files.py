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

from crawler.errors import DiskFull

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORGOTTEN_SECONDS = 3600
# fallocate(2): FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE
_PUNCH_HOLE = 0x01 | 0x02
_LIBC = ctypes.CDLL(None, use_errno=True)


def write_atomically(path: Path, content: bytes, *, scratch: Path) -> None:
    """Write `path` durably by way of a temporary file in `scratch`, on the same file system."""
    temporary = scratch / uuid.uuid4().hex
    try:
        opened = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644
        )
        try:
            write_fully(opened, content)
            os.fsync(opened)
        finally:
            os.close(opened)
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            sync_folder(path.parent.parent)
        temporary.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def write_fully(descriptor: int, content: bytes) -> None:
    """Write all of `content`, however many calls it takes."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def zero_range(descriptor: int, offset: int, length: int) -> None:
    """Make these bytes of a file zeros, and give the room of whole blocks back where the file
    system can.
    """
    if _LIBC.fallocate(
        descriptor, _PUNCH_HOLE, ctypes.c_int64(offset), ctypes.c_int64(length)
    ):
        os.pwrite(descriptor, bytes(length), offset)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def remove_stale_files(scratch: Path) -> None:
    """Remove what killed writers left in `scratch` over an hour ago."""
    for path in scratch.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _FORGOTTEN_SECONDS:
                path.unlink()


@contextmanager
def translate_disk_full() -> Iterator[None]:
    """Turn the ways in which a disk or a quota says that it is full into `DiskFull`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        where = f" for {error.filename}" if error.filename else ""
        raise DiskFull(
            f"There is no room{where} ({error.strerror}); free some space and run again."
        ) from error
