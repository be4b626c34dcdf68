"""Blob store on a local disk: small blobs in packs, large ones in files of their own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from storage.blobs.blob_locations import BlobLocation, blob_row
from storage.blobs.durable_files import (
    remove_stale_files,
    translate_disk_full,
    write_atomically,
    zero_range,
)
from storage.blobs.frames import (
    LOOSE_PREFIX,
    compress_blob,
    corrupt_blob_error,
    loose_object_name,
)
from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.blobs.packs import PackWriter


class LocalBlobStore(IndexedBlobStore):
    """A `BlobStore` in a folder, with its locations in `engine`; many processes may share it."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        super().__init__(engine)
        self._loose = folder / "loose"
        self._packs = folder / "packs"
        self._scratch = folder / "scratch"

        for subfolder in (self._loose, self._packs, self._scratch):
            subfolder.mkdir(parents=True, exist_ok=True)

        remove_stale_files(self._scratch)
        self._writer = PackWriter(self._packs)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Unlock the pack that this process writes to."""
        self._writer.close()

    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        # threads share the pack that this process writes to
        with translate_disk_full(), self._lock:
            for digest, content in loose.items():
                self._store_loose(digest, content)
            self._store_packed(small)

    def _store_loose(self, digest: str, content: bytes) -> None:
        frame = compress_blob(content)
        write_atomically(self._loose_path(digest), frame, scratch=self._scratch)
        self._record_locations([blob_row(digest, content, frame)], [None])

    def _store_packed(self, contents: dict[str, bytes]) -> None:
        frames = [compress_blob(content) for content in contents.values()]
        places = self._writer.append(frames)
        rows = []

        for blob, frame, place in zip(contents.items(), frames, places, strict=True):
            digest, content = blob
            _, offset = place
            rows.append(blob_row(digest, content, frame, offset))

        self._record_locations(rows, [pack for pack, _ in places])

    def _read_frames(
        self, pack: str, locations: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        if not pack:
            for location in locations:
                yield location, self._read_loose_frame(location.digest)
            return

        with self._open_pack(pack) as descriptor:
            for location in locations:
                yield location, _read_packed_frame(descriptor, location)

    def _read_loose_frame(self, digest: str) -> bytes:
        try:
            return self._loose_path(digest).read_bytes()
        except OSError as error:
            raise corrupt_blob_error(f"Blob {digest}", str(error)) from error

    def _overwrite_frames(self, pack: str, locations: Sequence[BlobLocation]) -> None:
        with _open_for_writing(self._packs / pack) as descriptor:
            for offset, length in _merge_ranges(locations):
                zero_range(descriptor, offset, length)

    def _iter_objects_before(self, before: float) -> Iterator[str]:
        for path in (*self._packs.glob("*.pack"), *self._loose.glob("*/*")):
            # another collection may delete it meanwhile
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime >= before:
                    continue

                is_pack = path.parent == self._packs
                digest = path.parent.name + path.name
                yield path.name if is_pack else loose_object_name(digest)

    def _delete_object(self, name: str) -> None:
        if name.startswith(LOOSE_PREFIX):
            (self._loose.parent / name).unlink(missing_ok=True)
            return

        path = self._packs / name

        with (
            contextlib.suppress(FileNotFoundError),
            _open_for_writing(path) as descriptor,
        ):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                # another process goes on appending to it: only its content may go
                zero_range(descriptor, 0, os.fstat(descriptor).st_size)
            else:
                path.unlink()

    @contextmanager
    def _open_pack(self, pack: str) -> Iterator[int]:
        try:
            descriptor = os.open(self._packs / pack, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise corrupt_blob_error(f"Pack {pack}", str(error)) from error

        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _loose_path(self, digest: str) -> Path:
        return self._loose / digest[:2] / digest[2:]


def _read_packed_frame(descriptor: int, location: BlobLocation) -> bytes:
    try:
        return os.pread(descriptor, location.length, location.offset)
    except OSError as error:
        raise corrupt_blob_error(f"Blob {location.digest}", str(error)) from error


@contextmanager
def _open_for_writing(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        yield descriptor
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def _merge_ranges(locations: Sequence[BlobLocation]) -> Iterator[tuple[int, int]]:
    """Yield offset and length of adjacent locations together: only whole blocks can be freed."""
    offset = length = 0
    for location in sorted(locations, key=lambda location: int(location.offset)):
        if location.offset != offset + length:
            if length:
                yield offset, length
            offset, length = location.offset, 0

        length += location.length

    if length:
        yield offset, length
