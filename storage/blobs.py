"""Blobs on the local disk: small ones in packs, large ones loose, all compressed; SQL says where each lies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from storage.files import clear, room, sweep, write_whole
from storage.packs import PackWriter
from storage.placed import SMALL as SMALL
from storage.placed import Place, PlacedBlobs, compressed, corrupt, loose_name, row_of


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
        with _opened_to_write(self._packs / pack) as opened:
            for offset, length in _runs(places):
                clear(opened, offset, length)

    def _strays(self, before: float) -> Iterator[str]:
        for path in (*self._packs.glob("*.pack"), *self._loose.glob("*/*")):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    yield path.name if path.parent == self._packs else loose_name(path.parent.name + path.name)

    def _drop(self, name: str) -> None:
        if name.startswith("loose/"):
            (self._loose.parent / name).unlink(missing_ok=True)
            return
        with contextlib.suppress(FileNotFoundError), _opened_to_write(self._packs / name) as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                # somebody goes on writing to it
                clear(opened, 0, os.fstat(opened).st_size)
            else:
                (self._packs / name).unlink()

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


@contextmanager
def _opened_to_write(path: Path) -> Iterator[int]:
    opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        yield opened
        os.fdatasync(opened)
    finally:
        os.close(opened)


def _runs(places: Sequence[Place]) -> Iterator[tuple[int, int]]:
    """Yield offset and length of what lies together: only whole blocks give their room back."""
    offset = length = 0
    for place in sorted(places, key=lambda place: int(place.offset)):
        if place.offset != offset + length:
            if length:
                yield offset, length
            offset, length = place.offset, 0
        length += place.length
    if length:
        yield offset, length
