"""Blobs on the local disk: small ones in packs, large ones loose, all compressed; SQL says where each lies."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from storage.files import room, sweep, write_whole
from storage.packs import PackWriter
from storage.placed import SMALL as SMALL
from storage.placed import Place, PlacedBlobs, compressed, corrupt, row_of


class LocalBlobs(PlacedBlobs):
    """A `BlobStore` in a folder, with its table of places in `engine`; for any number of processes at once."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        super().__init__(engine)
        self._loose, self._packs, self._scratch = (folder / name for name in ("loose", "packs", "scratch"))
        for each in (self._loose, self._packs, self._scratch):
            each.mkdir(parents=True, exist_ok=True)
        sweep(self._scratch)
        self._writer = PackWriter(self._packs)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let the pack go that this process writes to."""
        self._writer.close()

    def _keep(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        with room(), self._lock:
            for digest, content in loose.items():
                frame = compressed(content)
                write_whole(self._path(digest), frame, scratch=self._scratch)
                self._record([row_of(digest, content, frame)], [None])
            frames = [compressed(content) for content in small.values()]
            places = self._writer.append(frames)
            rows = [
                row_of(digest, content, frame, offset)
                for (digest, content), frame, (_, offset) in zip(small.items(), frames, places, strict=True)
            ]
            self._record(rows, [name for name, _ in places])

    def _read(self, pack: str, places: Sequence[Place]) -> Iterator[tuple[Place, bytes]]:
        with self._opened(pack) as opened:
            for place in places:
                try:
                    yield place, os.pread(opened, place.length, place.offset) if pack else self._whole(place.digest)
                except OSError as error:
                    raise corrupt(f"Blob {place.digest}", str(error)) from error

    def _destroy(self, pack: str, places: Sequence[Place]) -> None:
        if not pack:
            for place in places:
                self._path(place.digest).unlink(missing_ok=True)
            return
        opened = os.open(self._packs / pack, os.O_WRONLY | os.O_CLOEXEC)
        try:
            for place in places:
                os.pwrite(opened, bytes(place.length), place.offset)
            os.fdatasync(opened)
        finally:
            os.close(opened)

    @contextmanager
    def _opened(self, pack: str) -> Iterator[int]:
        try:
            opened = os.open(self._packs / pack, os.O_RDONLY | os.O_CLOEXEC) if pack else -1
        except OSError as error:
            raise corrupt(f"Pack {pack}", str(error)) from error
        try:
            yield opened
        finally:
            if pack:
                os.close(opened)

    def _whole(self, digest: str) -> bytes:
        return self._path(digest).read_bytes()

    def _path(self, digest: str) -> Path:
        return self._loose / digest[:2] / digest[2:]
