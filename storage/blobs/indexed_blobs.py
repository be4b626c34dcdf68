"""Base of blob stores whose locations are SQL rows: compression, batching, digest checks and
deletion.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

import zstandard
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    bindparam,
    delete,
    select,
    update,
)

from storage.database.base import upsert
from storage.database.engine import (
    AdvisoryLock,
    hold_advisory_lock,
    read_transaction,
    write_transaction,
)
from storage.errors import CorruptBlob
from storage.tables import Blob, Pack, table

PACK_THRESHOLD_BYTES = 64 << 10
"""Contents below this many bytes share packs."""
_BATCH = 8 << 20
_PART = 500
_LEVEL = 3
BLOB: Final = table(Blob)
PACK: Final = table(Pack)
_PLACES: Final = (
    select(BLOB.c.digest, BLOB.c.size, BLOB.c.offset, BLOB.c.length, PACK.c.name)
    .join_from(BLOB, PACK, BLOB.c.pack == PACK.c.id, isouter=True)
    .where(BLOB.c.digest.in_(bindparam("digests", expanding=True)))
)
_SINCE: Final = select(BLOB.c.digest, BLOB.c.doomed_at)
_THERE: Final = BLOB.c.doomed_at >= 0
IS_DOOMED: Final = BLOB.c.doomed_at > 0
_GOING: Final = -1.0
"""A blob's bytes are being erased, or were when that was cut short: it is there no more."""
_LOOSE: Final = "loose/"
_ERASED_AT_ONCE: Final = 100
"""Nobody can store anything meanwhile."""
BlobLocation = Any
"""A row of `_PLACES`: digest, size, offset, length, and the name of its pack or `None`."""


class IndexedBlobStore(ABC):
    """A `BlobStore` whose table of places is in `engine`; what derives from it says where the
    bytes go.

    Bytes are durable before the rows that name them are written, so a row never names what is
    not there, and a killed
    writer leaves at most bytes that no row names. What is found without a name is doomed (see
    `storage.maintenance.garbage`);
    storing it once more saves it.
    """

    reclaims_partial_packs: bool = True
    """Whether what is erased of a pack frees its room, before the whole pack goes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest."""
        return self.put_many((content,))[0]

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each and return their digests in order."""
        digests: list[str] = []
        batch: dict[str, bytes] = {}
        held = 0
        for content in contents:
            digest = hashlib.sha256(content).hexdigest()
            digests.append(digest)
            if digest not in batch:
                batch[digest] = content
                held += len(content)
            if held >= _BATCH:
                self._store(batch)
                batch, held = {}, 0
        self._store(batch)
        return tuple(digests)

    def get(self, digest: str) -> bytes:
        """Return the content; raises `KeyError` if there is none, `CorruptBlob` if it changed."""
        return self.get_many((digest,))[0]

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`; raises as `get` does."""
        places: dict[str, BlobLocation] = {}
        with read_transaction(self._engine) as connection:
            for start in range(0, len(digests), _PART):
                found = connection.execute(
                    _PLACES.where(_THERE), {"digests": digests[start : start + _PART]}
                )
                places.update((place.digest, place) for place in found.all())
        missing = next((digest for digest in digests if digest not in places), None)
        if missing is not None:
            raise KeyError(missing)
        contents: dict[str, bytes] = {}
        for pack, some in groupby(sorted(places.values(), key=_pack_of), _pack_of):
            contents.update(
                (place.digest, _content(place, frame))
                for place, frame in self._read_frames(pack, list(some))
            )
        return tuple(contents[digest] for digest in digests)

    def has(self, digest: str) -> bool:
        """Tell whether the content is there."""
        with read_transaction(self._engine) as connection:
            return bool(_known(connection, [digest]))

    def erase(self, digests: Sequence[str], *conditions: ColumnElement[bool]) -> int:
        """Destroy the bytes of those of these blobs that are `conditions` so, and return how
        many there were.

        A blob's row goes after its bytes, so that a killed erasure can be asked for again. Who
        stores one of them
        meanwhile waits, and stores it anew.
        """
        starts = range(0, len(digests), _ERASED_AT_ONCE)
        return sum(
            self._erase(digests[start : start + _ERASED_AT_ONCE], conditions)
            for start in starts
        )

    def delete_unreferenced_objects(self, before: float) -> int:
        """Remove what killed writers left before that time: objects that no row names; returns
        how many.
        """
        listed, count = list(self._iter_objects_before(before)), 0
        for start in range(0, len(listed), _ERASED_AT_ONCE):
            some = listed[start : start + _ERASED_AT_ONCE]
            with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS):
                for name in sorted(set(some) - self._named_of(some)):
                    self._delete_object(name)
                    count += 1
        return count

    def close(self) -> None:  # noqa: B027 - most stores hold nothing open
        """Let go of what is held open."""

    @abstractmethod
    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        """Store fresh frames and `_record` where they lie; a place is recorded after its bytes
        are durable.
        """

    @abstractmethod
    def _read_frames(
        self, pack: str, places: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        """Yield the frame of each place, all in `pack` or all loose; raises `CorruptBlob` where
        one is not there.
        """

    @abstractmethod
    def _overwrite_frames(self, pack: str, places: Sequence[BlobLocation]) -> None:
        """Make the bytes of the places, which are some of those in `pack`, unreadable for ever."""

    @abstractmethod
    def _iter_objects_before(self, before: float) -> Iterator[str]:
        """Yield the name of each object that was stored before that time and may have no row."""

    @abstractmethod
    def _delete_object(self, name: str) -> None:
        """Remove an object, a pack or what `loose_name` names, if it is there."""

    def _store(self, batch: dict[str, bytes]) -> None:
        with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS, shared=True):
            with read_transaction(self._engine) as connection:
                known = _known(connection, list(batch))
            doomed = sorted(digest for digest, at in known.items() if at)
            if doomed:
                _save(self._engine, doomed)
            fresh = {
                digest: content
                for digest, content in batch.items()
                if digest not in known
            }
            if fresh:
                self._keep_by_size(fresh)

    def _keep_by_size(self, fresh: dict[str, bytes]) -> None:
        small = {
            digest: content
            for digest, content in fresh.items()
            if len(content) < PACK_THRESHOLD_BYTES
        }
        self._store_fresh(
            {
                digest: content
                for digest, content in fresh.items()
                if digest not in small
            },
            small,
        )

    def _record_locations(
        self, rows: list[dict[str, Any]], packs: Sequence[str | None]
    ) -> None:
        if not rows:
            return
        with write_transaction(self._engine) as connection:
            ids = {
                name: _pack_id(connection, name)
                for name in sorted({name for name in packs if name})
            }
            placed = [
                {**row, "pack": ids[name] if name else None}
                for row, name in zip(rows, packs, strict=True)
            ]
            # in one order, so that two writers never wait for each other
            placed.sort(key=lambda row: str(row["digest"]))
            said = upsert(BLOB)
            anew = {name: said.excluded[name] for name in (*placed[0], "doomed_at")}
            going = said.on_conflict_do_update(
                index_elements=["digest"], set_=anew, where=~_THERE
            )
            connection.execute(going, placed)

    def _erase(
        self, digests: Sequence[str], still: Sequence[ColumnElement[bool]]
    ) -> int:
        mine = BLOB.c.digest.in_(digests)
        with hold_advisory_lock(self._engine, AdvisoryLock.BLOBS):
            with write_transaction(self._engine) as connection:
                connection.execute(
                    update(BLOB).where(mine, *still).values(doomed_at=_GOING)
                )
            with read_transaction(self._engine) as connection:
                places = connection.execute(
                    _PLACES.where(~_THERE), {"digests": digests}
                ).all()
                emptied = _emptied(
                    connection, {place.name for place in places if place.name}
                )
            for pack, some in groupby(sorted(places, key=_pack_of), _pack_of):
                self._take_away(pack, list(some), is_empty=pack in emptied)
            with write_transaction(self._engine) as connection:
                connection.execute(delete(BLOB).where(mine, ~_THERE))
                connection.execute(delete(PACK).where(PACK.c.name.in_(emptied)))
        return len(places)

    def _take_away(
        self, pack: str, places: Sequence[BlobLocation], *, is_empty: bool
    ) -> None:
        if pack and not is_empty:
            self._overwrite_frames(pack, places)
            return
        for name in (
            [pack] if pack else [loose_object_name(place.digest) for place in places]
        ):
            self._delete_object(name)

    def _named_of(self, names: Sequence[str]) -> set[str]:
        """Return those of the objects `names` that a row says is one."""
        digests = {
            name.removeprefix(_LOOSE).replace("/", ""): name
            for name in names
            if name.startswith(_LOOSE)
        }
        loose = select(BLOB.c.digest).where(
            BLOB.c.digest.in_(digests), BLOB.c.pack.is_(None)
        )
        packs = select(PACK.c.name).where(
            PACK.c.name.in_(names),
            select(BLOB).where(BLOB.c.pack == PACK.c.id).exists(),
        )
        with read_transaction(self._engine) as connection:
            found = {digests[digest] for digest in connection.scalars(loose)}
            return found | set(connection.scalars(packs))


def loose_object_name(digest: str) -> str:
    """Return the name of the object that holds a loose blob."""
    return f"{_LOOSE}{digest[:2]}/{digest[2:]}"


def compress_blob(content: bytes) -> bytes:
    """Return the frame that stands for `content` in a store."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content)


def blob_row(
    digest: str, content: bytes, frame: bytes, offset: int = 0
) -> dict[str, Any]:
    """Return the row of a blob without its pack."""
    return {
        "digest": digest,
        "size": len(content),
        "offset": offset,
        "length": len(frame),
    }


def corrupt_blob_error(subject: str, reason: str) -> CorruptBlob:
    """Return the error for bytes that cannot be read."""
    return CorruptBlob(
        f"{subject} cannot be read: {reason}; restore it from a copy, or crawl its source again."
    )


def _content(place: BlobLocation, frame: bytes) -> bytes:
    try:
        content = zstandard.ZstdDecompressor().decompress(
            frame, max_output_size=place.size
        )
    except zstandard.ZstdError as error:
        raise corrupt_blob_error(f"Blob {place.digest}", str(error)) from error
    if hashlib.sha256(content).hexdigest() != place.digest:
        raise corrupt_blob_error(f"Blob {place.digest}", "its digest has changed")
    return content


def _known(connection: Connection, digests: Sequence[str]) -> dict[str, float]:
    """Return since when each of the blobs that are there is doomed, 0 for one that is not."""
    known: dict[str, float] = {}
    for start in range(0, len(digests), _PART):
        part = BLOB.c.digest.in_(digests[start : start + _PART]), _THERE
        known.update(
            (row.digest, row.doomed_at)
            for row in connection.execute(_SINCE.where(*part))
        )
    return known


def _save(engine: Engine, digests: Sequence[str]) -> None:
    with write_transaction(engine) as connection:
        for start in range(0, len(digests), _PART):
            mine = BLOB.c.digest.in_(digests[start : start + _PART]), IS_DOOMED
            connection.execute(update(BLOB).where(*mine).values(doomed_at=0.0))


def _emptied(connection: Connection, packs: Collection[str]) -> set[str]:
    """Return those of `packs` of which nothing is there any more."""
    left = select(BLOB.c.pack).where(BLOB.c.pack == PACK.c.id, _THERE).exists()
    return set(
        connection.scalars(select(PACK.c.name).where(PACK.c.name.in_(packs), ~left))
    )


def _pack_id(connection: Connection, name: str) -> int:
    connection.execute(upsert(PACK).values(name=name).on_conflict_do_nothing())
    return int(
        connection.execute(select(PACK.c.id).where(PACK.c.name == name)).scalar_one()
    )


def _pack_of(place: BlobLocation) -> str:
    return place.name or ""
