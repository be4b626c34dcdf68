"""What blob stores share whose places are rows: compression, batches, and a digest that is checked on every read."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

import zstandard
from sqlalchemy import Connection, Engine, bindparam, delete, select

from storage.base import upsert
from storage.engine import reading, writing
from storage.errors import CorruptBlob
from storage.tables import Blob, Pack, table

SMALL = 64 << 10
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
Place = Any
"""A row of `_PLACES`: digest, size, offset, length, and the name of its pack or `None`."""


class PlacedBlobs(ABC):
    """A `BlobStore` whose table of places is in `engine`; what derives from it says where the bytes go.

    Bytes are durable before the rows that name them are written, so a row never names what is not there, and a killed
    writer leaves at most bytes that no row names.
    """

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
        places: dict[str, Place] = {}
        with reading(self._engine) as connection:
            for start in range(0, len(digests), _PART):
                found = connection.execute(_PLACES, {"digests": digests[start : start + _PART]})
                places.update((place.digest, place) for place in found.all())
        missing = next((digest for digest in digests if digest not in places), None)
        if missing is not None:
            raise KeyError(missing)
        contents: dict[str, bytes] = {}
        for pack, some in groupby(sorted(places.values(), key=_pack_of), _pack_of):
            contents.update((place.digest, _content(place, frame)) for place, frame in self._read(pack, list(some)))
        return tuple(contents[digest] for digest in digests)

    def has(self, digest: str) -> bool:
        """Tell whether the content is there."""
        with reading(self._engine) as connection:
            return bool(_known(connection, [digest]))

    def erase(self, digests: Sequence[str]) -> int:
        """Destroy the bytes of these blobs, and return how many there were; nobody may be storing any of them.

        In a pack they become zeros in their place; a blob's row goes after its bytes, so that a killed erasure can be
        asked for again.
        """
        count = 0
        for start in range(0, len(digests), _PART):
            with reading(self._engine) as connection:
                places = connection.execute(_PLACES, {"digests": digests[start : start + _PART]}).all()
            for pack, some in groupby(sorted(places, key=_pack_of), _pack_of):
                self._destroy(pack, list(some))
            with writing(self._engine) as connection:
                connection.execute(delete(BLOB).where(BLOB.c.digest.in_([place.digest for place in places])))
            count += len(places)
        return count

    def close(self) -> None:  # noqa: B027 - most stores hold nothing open
        """Let go of what is held open."""

    @abstractmethod
    def _keep(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        """Store fresh frames and `_record` where they lie; a place is recorded after its bytes are durable."""

    @abstractmethod
    def _read(self, pack: str, places: Sequence[Place]) -> Iterator[tuple[Place, bytes]]:
        """Yield the frame of each place, all in `pack` or all loose; raises `CorruptBlob` where one is not there."""

    @abstractmethod
    def _destroy(self, pack: str, places: Sequence[Place]) -> None:
        """Make the bytes of the places, all in `pack` or all loose, unreadable for ever."""

    def _store(self, batch: dict[str, bytes]) -> None:
        with reading(self._engine) as connection:
            known = _known(connection, list(batch))
        fresh = {digest: content for digest, content in batch.items() if digest not in known}
        if not fresh:
            return
        small = {digest: content for digest, content in fresh.items() if len(content) < SMALL}
        self._keep({digest: content for digest, content in fresh.items() if digest not in small}, small)

    def _record(self, rows: list[dict[str, Any]], packs: Sequence[str | None]) -> None:
        if not rows:
            return
        with writing(self._engine) as connection:
            ids = {name: _pack_id(connection, name) for name in sorted({name for name in packs if name})}
            placed = [{**row, "pack": ids[name] if name else None} for row, name in zip(rows, packs, strict=True)]
            # in one order, so that two writers never wait for each other
            placed.sort(key=lambda row: str(row["digest"]))
            connection.execute(upsert(BLOB).on_conflict_do_nothing(), placed)


def compressed(content: bytes) -> bytes:
    """Return the frame that stands for `content` in a store."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content)


def row_of(digest: str, content: bytes, frame: bytes, offset: int = 0) -> dict[str, Any]:
    """Return the row of a blob without its pack."""
    return {"digest": digest, "size": len(content), "offset": offset, "length": len(frame)}


def corrupt(what: str, why: str) -> CorruptBlob:
    """Return the error for bytes that cannot be read."""
    return CorruptBlob(f"{what} cannot be read: {why}; restore it from a copy, or crawl its source again.")


def _content(place: Place, frame: bytes) -> bytes:
    try:
        content = zstandard.ZstdDecompressor().decompress(frame, max_output_size=place.size)
    except zstandard.ZstdError as error:
        raise corrupt(f"Blob {place.digest}", str(error)) from error
    if hashlib.sha256(content).hexdigest() != place.digest:
        raise corrupt(f"Blob {place.digest}", "its digest has changed")
    return content


def _known(connection: Connection, digests: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for start in range(0, len(digests), _PART):
        part = BLOB.c.digest.in_(digests[start : start + _PART])
        known.update(connection.scalars(select(BLOB.c.digest).where(part)))
    return known


def _pack_id(connection: Connection, name: str) -> int:
    connection.execute(upsert(PACK).values(name=name).on_conflict_do_nothing())
    return int(connection.execute(select(PACK.c.id).where(PACK.c.name == name)).scalar_one())


def _pack_of(place: Place) -> str:
    return place.name or ""
