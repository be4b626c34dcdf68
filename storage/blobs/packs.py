"""Append small blobs to pack files, one writer to a pack."""

from __future__ import annotations

import contextlib
import fcntl
import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from storage.blobs.durable_files import sync_folder, write_fully

MAX_PACK_BYTES = 64 << 20
"""Bytes from which a pack takes no more."""


class PackWriter:
    """Appends to one pack that this process alone holds, and goes on to another when it is
    full.

    The lock goes with the process, so a pack whose writer was killed is taken up by the next
    one. What the killed one
    had half written stays behind as bytes that no row names.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = -1
        self._pid = 0
        self.pack_name = ""

    def append(self, frames: Sequence[bytes]) -> list[tuple[str, int]]:
        """Append `frames` durably and return (pack, offset) of each; after an error the pack is
        as it was.
        """
        places: list[tuple[str, int]] = []
        start = 0
        while start < len(frames):
            self._take()
            offset = os.lseek(self._held, 0, os.SEEK_END)
            end = _fitting(frames, start, MAX_PACK_BYTES - offset)
            self._write(frames[start:end], offset)
            for frame in frames[start:end]:
                places.append((self.pack_name, offset))
                offset += len(frame)
            start = end
        return places

    def close(self) -> None:
        """Let the pack go."""
        if self._held >= 0:
            os.close(self._held)
        self._held = -1

    def _write(self, frames: Sequence[bytes], offset: int) -> None:
        try:
            write_fully(self._held, b"".join(frames))
            os.fdatasync(self._held)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._held, offset)
            raise

    def _take(self) -> None:
        if self._pid != os.getpid():
            # a fork shares the parent's lock and position
            self.close()
        if self._held >= 0 and os.fstat(self._held).st_size < MAX_PACK_BYTES:
            return
        self.close()
        self._pid = os.getpid()
        for path in sorted(self._folder.glob("*.pack")):
            if self._lock(path):
                return
        path = self._folder / f"{uuid.uuid4().hex}.pack"
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o644))
        sync_folder(self._folder)
        if not self._lock(path):
            self._take()

    def _lock(self, path: Path) -> bool:
        held = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(held)
            return False
        if os.fstat(held).st_size >= MAX_PACK_BYTES:
            os.close(held)
            return False
        self._held, self.pack_name = held, path.name
        return True


def _fitting(frames: Sequence[bytes], start: int, room: int) -> int:
    """Return the end of the run of frames from `start` that fills `room`, at least one."""
    end = start
    while end < len(frames) and room > 0:
        room -= len(frames[end])
        end += 1
    return max(end, start + 1)
