"""Blob store on a local disk: small blobs in packs, large ones in files of their own, all
compressed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from storage.blobs.durable_files import (
    remove_stale_files,
    translate_disk_full,
    write_atomically,
    zero_range,
)
from storage.blobs.indexed_blobs import PACK_THRESHOLD_BYTES as PACK_THRESHOLD_BYTES
from storage.blobs.indexed_blobs import (
    BlobLocation,
    IndexedBlobStore,
    blob_row,
    compress_blob,
    corrupt_blob_error,
    loose_object_name,
)
from storage.blobs.packs import PackWriter


class LocalBlobStore(IndexedBlobStore):
    """A `BlobStore` in a folder, with its table of places in `engine`; for any number of
    processes at once.
    """

    def __init__(self, folder: Path, engine: Engine) -> None:
        super().__init__(engine)
        self._loose, self._packs, self._scratch = (
            folder / name for name in ("loose", "packs", "scratch")
        )
        for each in (self._loose, self._packs, self._scratch):
            each.mkdir(parents=True, exist_ok=True)
        remove_stale_files(self._scratch)
        self._writer = PackWriter(self._packs)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let the pack go that this process writes to."""
        self._writer.close()

    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        with translate_disk_full(), self._lock:
            for digest, content in loose.items():
                frame = compress_blob(content)
                write_atomically(self._path(digest), frame, scratch=self._scratch)
                self._record_locations([blob_row(digest, content, frame)], [None])
            frames = [compress_blob(content) for content in small.values()]
            places = self._writer.append(frames)
            rows = [
                blob_row(digest, content, frame, offset)
                for (digest, content), frame, (_, offset) in zip(
                    small.items(), frames, places, strict=True
                )
            ]
            self._record_locations(rows, [name for name, _ in places])

    def _read_frames(
        self, pack: str, places: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        with self._opened(pack) as opened:
            for place in places:
                try:
                    yield (
                        place,
                        os.pread(opened, place.length, place.offset)
                        if pack
                        else self._whole(place.digest),
                    )
                except OSError as error:
                    raise corrupt_blob_error(
                        f"Blob {place.digest}", str(error)
                    ) from error

    def _overwrite_frames(self, pack: str, places: Sequence[BlobLocation]) -> None:
        with _opened_to_write(self._packs / pack) as opened:
            for offset, length in _runs(places):
                zero_range(opened, offset, length)

    def _iter_objects_before(self, before: float) -> Iterator[str]:
        for path in (*self._packs.glob("*.pack"), *self._loose.glob("*/*")):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    yield (
                        path.name
                        if path.parent == self._packs
                        else loose_object_name(path.parent.name + path.name)
                    )

    def _delete_object(self, name: str) -> None:
        if name.startswith("loose/"):
            (self._loose.parent / name).unlink(missing_ok=True)
            return
        with (
            contextlib.suppress(FileNotFoundError),
            _opened_to_write(self._packs / name) as opened,
        ):
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                # somebody goes on writing to it
                zero_range(opened, 0, os.fstat(opened).st_size)
            else:
                (self._packs / name).unlink()

    @contextmanager
    def _opened(self, pack: str) -> Iterator[int]:
        try:
            opened = (
                os.open(self._packs / pack, os.O_RDONLY | os.O_CLOEXEC) if pack else -1
            )
        except OSError as error:
            raise corrupt_blob_error(f"Pack {pack}", str(error)) from error
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


def _runs(places: Sequence[BlobLocation]) -> Iterator[tuple[int, int]]:
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
