"""Base of blob stores whose locations are SQL rows: batching, digest checks and deletion."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from sqlalchemy import ColumnElement, Engine

from storage.blobs.blob_locations import (
    BlobLocation,
    BlobRow,
    begin_erasure,
    end_erasure,
    find_locations,
    find_referenced_objects,
    pack_of,
    read_doom_times,
    record_locations,
    save_doomed_blobs,
)
from storage.blobs.frames import decompress_frame, loose_object_name
from storage.database.chunks import iter_slices
from storage.database.engine import AdvisoryLock, hold_advisory_lock, read_transaction

PACK_THRESHOLD_BYTES: Final = 64 << 10
"""Contents below this many bytes share packs."""
_BATCH_BYTES: Final = 8 << 20
"""Bytes of contents that are stored together."""
_ERASURE_BATCH: Final = 100
"""Blobs that are erased under one exclusive lock, during which nothing can be stored."""


class IndexedBlobStore(ABC):
    """A `BlobStore` whose locations are rows in `engine`; subclasses store the bytes.

    Bytes are durable before the rows that name them are written, so a row never names missing
    bytes, and a killed writer leaves at most bytes that no row names. What garbage collection
    finds unreferenced is doomed (see `storage.maintenance.garbage`); storing it again saves it.
    """

    reclaims_partial_packs: bool = True
    """Whether erasing a part of a pack frees its space before the whole pack goes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.stored_bytes = 0
        """Of contents that this process stored and that were not there before."""

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest."""
        return self.put_many((content,))[0]

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each of `contents` and return their digests in order."""
        digests: list[str] = []
        batch: dict[str, bytes] = {}
        batch_bytes = 0

        for content in contents:
            digest = hashlib.sha256(content).hexdigest()
            digests.append(digest)
            # the same content may come several times in a batch
            if digest not in batch:
                batch[digest] = content
                batch_bytes += len(content)

            if batch_bytes >= _BATCH_BYTES:
                self._store(batch)
                batch = {}
                batch_bytes = 0

        self._store(batch)

        return tuple(digests)

    def get(self, digest: str) -> bytes:
        """Return the content; raises `KeyError` if there is none, `CorruptBlob` if it changed."""
        return self.get_many((digest,))[0]

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`; raises as `get` does."""
        locations = find_locations(self._engine, digests)
        for digest in digests:
            if digest not in locations:
                raise KeyError(digest)

        contents: dict[str, bytes] = {}

        for pack, members in _group_by_pack(locations.values()):
            for location, frame in self._read_frames(pack, members):
                digest = location.digest
                contents[digest] = decompress_frame(frame, digest, location.size)

        return tuple(contents[digest] for digest in digests)

    def has(self, digest: str) -> bool:
        """Return whether the content is there."""
        with read_transaction(self._engine) as connection:
            return bool(read_doom_times(connection, [digest]))

    def erase(self, digests: Sequence[str], *conditions: ColumnElement[bool]) -> int:
        """Destroy those of `digests` whose rows meet `conditions`, and return how many.

        A row goes after its bytes, so that an erasure that was cut short can be repeated.
        Whoever stores one of the blobs meanwhile waits, and stores it anew.
        """
        return sum(
            self._erase_batch(batch, conditions)
            for batch in iter_slices(digests, _ERASURE_BATCH)
        )

    def delete_unreferenced_objects(self, before: float) -> int:
        """Delete objects stored before that time that no row names, and return how many.

        Killed writers leave such objects. `before` is in seconds since 1970.
        """
        count = 0
        objects = list(self._iter_objects_before(before))

        for batch in iter_slices(objects, _ERASURE_BATCH):
            with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS):
                referenced = find_referenced_objects(self._engine, batch)
                for name in sorted(set(batch) - referenced):
                    self._delete_object(name)
                    count += 1

        return count

    def close(self) -> None:  # noqa: B027 - most stores hold nothing open
        """Release what is held open."""

    @abstractmethod
    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        """Store contents by digest, then record their locations by `_record_locations`.

        A location is recorded after its bytes are durable.
        """

    @abstractmethod
    def _read_frames(
        self, pack: str, locations: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        """Yield the frame of each location, all in `pack` or, without one, all loose.

        Raises `CorruptBlob` where one is missing.
        """

    @abstractmethod
    def _overwrite_frames(self, pack: str, locations: Sequence[BlobLocation]) -> None:
        """Destroy the bytes of `locations`, which are some of those in `pack`."""

    @abstractmethod
    def _iter_objects_before(self, before: float) -> Iterator[str]:
        """Yield the name of each object that was stored before that time."""

    @abstractmethod
    def _delete_object(self, name: str) -> None:
        """Delete a pack, or what `loose_object_name` names, if it is there."""

    def _store(self, batch: dict[str, bytes]) -> None:
        # shared: an erasure in between could take what was just found to be there
        with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS, shared=True):
            with read_transaction(self._engine) as connection:
                doom_times = read_doom_times(connection, list(batch))

            doomed = sorted(digest for digest, time in doom_times.items() if time)
            if doomed:
                save_doomed_blobs(self._engine, doomed)

            loose: dict[str, bytes] = {}
            small: dict[str, bytes] = {}

            for digest, content in batch.items():
                if digest in doom_times:
                    continue
                is_small = len(content) < PACK_THRESHOLD_BYTES
                (small if is_small else loose)[digest] = content

            if loose or small:
                self._store_fresh(loose, small)
                fresh = (*loose.values(), *small.values())
                self.stored_bytes += sum(map(len, fresh))

    def _record_locations(
        self, rows: Sequence[BlobRow], packs: Sequence[str | None]
    ) -> None:
        record_locations(self._engine, rows, packs)

    def _erase_batch(
        self, digests: Sequence[str], conditions: Sequence[ColumnElement[bool]]
    ) -> int:
        with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS):
            locations, empty_packs = begin_erasure(self._engine, digests, conditions)
            for pack, members in _group_by_pack(locations):
                if pack and pack not in empty_packs:
                    # other members of the pack stay where they are
                    self._overwrite_frames(pack, members)
                else:
                    self._delete_objects(pack, members)

            end_erasure(self._engine, digests, empty_packs)

        return len(locations)

    def _delete_objects(self, pack: str, locations: Sequence[BlobLocation]) -> None:
        """Delete a whole pack, or loose blobs."""
        if pack:
            self._delete_object(pack)
            return
        for location in locations:
            self._delete_object(loose_object_name(location.digest))


def _group_by_pack(
    locations: Iterable[BlobLocation],
) -> Iterator[tuple[str, list[BlobLocation]]]:
    """Yield each pack with its locations, and loose locations under the empty name."""
    ordered = sorted(locations, key=pack_of)
    for pack, members in groupby(ordered, pack_of):
        yield pack, list(members)
