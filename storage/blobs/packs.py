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
"""Size from which a pack takes no more, in bytes."""


class PackWriter:
    """Appends to a pack that this process alone has locked, and to the next when it is full.

    The lock ends with the process, so a pack whose writer was killed is continued by the next
    writer. What the killed one had half written stays behind as bytes that no row names.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor = -1
        self._pid = 0
        self.pack_name = ""

    def append(self, frames: Sequence[bytes]) -> list[tuple[str, int]]:
        """Append `frames` durably and return (pack, offset) of each.

        After an error the pack is as it was.
        """
        places: list[tuple[str, int]] = []
        start = 0

        while start < len(frames):
            self._ensure_pack()
            offset = os.lseek(self._descriptor, 0, os.SEEK_END)
            end = _find_run_end(frames, start, MAX_PACK_BYTES - offset)
            run = frames[start:end]
            self._write(run, offset)

            for frame in run:
                places.append((self.pack_name, offset))
                offset += len(frame)

            start = end

        return places

    def close(self) -> None:
        """Unlock the pack."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _write(self, frames: Sequence[bytes], offset: int) -> None:
        try:
            write_fully(self._descriptor, b"".join(frames))
            os.fdatasync(self._descriptor)
        except BaseException:
            # what was half written would shift the offsets of what follows
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, offset)
            raise

    def _ensure_pack(self) -> None:
        """Lock a pack that is not full: the current one, one without a writer, or a new one."""
        if self._pid != os.getpid():
            # a fork shares the parent's lock and position
            self.close()

        if self._descriptor >= 0:
            size = os.fstat(self._descriptor).st_size
            if size < MAX_PACK_BYTES:
                return

        self.close()

        self._pid = os.getpid()

        # one that nobody writes to any more, before another is begun
        for path in sorted(self._folder.glob("*.pack")):
            if self._try_lock(path):
                return

        path = self._folder / f"{uuid.uuid4().hex}.pack"
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o644))
        sync_folder(self._folder)
        # another process may have locked the new pack first
        if not self._try_lock(path):
            self._ensure_pack()

    def _try_lock(self, path: Path) -> bool:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False

        if os.fstat(descriptor).st_size >= MAX_PACK_BYTES:
            os.close(descriptor)
            return False

        self._descriptor = descriptor
        self.pack_name = path.name

        return True


def _find_run_end(frames: Sequence[bytes], start: int, room: int) -> int:
    """Return the end of the run of frames from `start` that fills `room`, at least one frame."""
    end = start
    while end < len(frames) and room > 0:
        room -= len(frames[end])
        end += 1
    return max(end, start + 1)
