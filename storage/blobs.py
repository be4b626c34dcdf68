"""Blobs on the local disk: small ones in packs, large ones loose, all compressed; SQL says where each lies."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import zstandard
from sqlalchemy import Connection, Engine, bindparam, delete, select

from storage.base import upsert
from storage.engine import reading, writing
from storage.errors import CorruptBlob
from storage.files import room, sweep, write_whole
from storage.packs import PackWriter
from storage.tables import Blob, Pack, table

SMALL = 64 << 10
"""Contents below this many bytes share packs."""
_BATCH = 8 << 20
_PART = 500
_LEVEL = 3
_BLOB: Final = table(Blob)
_PACK: Final = table(Pack)
_PLACES: Final = (
    select(_BLOB.c.digest, _BLOB.c.size, _BLOB.c.offset, _BLOB.c.length, _PACK.c.name)
    .join_from(_BLOB, _PACK, _BLOB.c.pack == _PACK.c.id, isouter=True)
    .where(_BLOB.c.digest.in_(bindparam("digests", expanding=True)))
)


class LocalBlobs:
    """A `BlobStore` in a folder, with its table of places in `engine`; for any number of processes at once.

    Bytes are synced before the rows that name them are written, so a row never names what is not there, and a killed
    writer leaves at most bytes that no row names.
    """

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._loose, self._packs, self._scratch = (folder / name for name in ("loose", "packs", "scratch"))
        for each in (self._loose, self._packs, self._scratch):
            each.mkdir(parents=True, exist_ok=True)
        sweep(self._scratch)
        self._engine = engine
        self._writer = PackWriter(self._packs)
        self._lock = threading.Lock()

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
        places: dict[str, Any] = {}
        with reading(self._engine) as connection:
            for start in range(0, len(digests), _PART):
                found = connection.execute(_PLACES, {"digests": digests[start : start + _PART]})
                places.update((place.digest, place) for place in found.all())
        missing = next((digest for digest in digests if digest not in places), None)
        if missing is not None:
            raise KeyError(missing)
        contents: dict[str, bytes] = {}
        for pack, some in groupby(sorted(places.values(), key=_pack_of), _pack_of):
            with self._opened(pack) as opened:
                contents.update((place.digest, self._content(place, opened)) for place in some)
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
            for place in places:
                self._destroy(place)
            with writing(self._engine) as connection:
                connection.execute(delete(_BLOB).where(_BLOB.c.digest.in_([place.digest for place in places])))
            count += len(places)
        return count

    def _destroy(self, place: Any) -> None:
        if not place.name:
            self._path(place.digest).unlink(missing_ok=True)
            return
        opened = os.open(self._packs / place.name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.pwrite(opened, bytes(place.length), place.offset)
            os.fdatasync(opened)
        finally:
            os.close(opened)

    def close(self) -> None:
        """Let the pack go that this process writes to."""
        self._writer.close()

    @contextmanager
    def _opened(self, pack: str) -> Iterator[int]:
        try:
            opened = os.open(self._packs / pack, os.O_RDONLY | os.O_CLOEXEC) if pack else -1
        except OSError as error:
            raise _corrupt(f"Pack {pack}", str(error)) from error
        try:
            yield opened
        finally:
            if pack:
                os.close(opened)

    def _content(self, place: Any, pack: int) -> bytes:
        loose = not place.name
        try:
            frame = self._path(place.digest).read_bytes() if loose else os.pread(pack, place.length, place.offset)
            content = zstandard.ZstdDecompressor().decompress(frame, max_output_size=place.size)
        except (OSError, zstandard.ZstdError) as error:
            raise _corrupt(f"Blob {place.digest}", str(error)) from error
        if hashlib.sha256(content).hexdigest() != place.digest:
            raise _corrupt(f"Blob {place.digest}", "its digest has changed")
        return content

    def _path(self, digest: str) -> Path:
        return self._loose / digest[:2] / digest[2:]

    def _store(self, batch: dict[str, bytes]) -> None:
        with reading(self._engine) as connection:
            known = _known(connection, list(batch))
        fresh = {digest: content for digest, content in batch.items() if digest not in known}
        if not fresh:
            return
        compressor = zstandard.ZstdCompressor(level=_LEVEL)
        small = [digest for digest, content in fresh.items() if len(content) < SMALL]
        with room(), self._lock:
            for digest in fresh.keys() - set(small):
                frame = compressor.compress(fresh[digest])
                write_whole(self._path(digest), frame, scratch=self._scratch)
                self._record([_row(digest, fresh[digest], frame)], [None])
            frames = [compressor.compress(fresh[digest]) for digest in small]
            places = self._writer.append(frames)
            rows = [
                _row(digest, fresh[digest], frame, offset)
                for digest, frame, (_, offset) in zip(small, frames, places, strict=True)
            ]
            self._record(rows, [name for name, _ in places])

    def _record(self, rows: list[dict[str, Any]], packs: Sequence[str | None]) -> None:
        if not rows:
            return
        with writing(self._engine) as connection:
            ids = {name: _pack_id(connection, name) for name in dict.fromkeys(packs) if name}
            for row, name in zip(rows, packs, strict=True):
                row["pack"] = ids[name] if name else None
            rows.sort(key=lambda row: str(row["digest"]))
            connection.execute(upsert(_BLOB).on_conflict_do_nothing(), rows)


def _row(digest: str, content: bytes, frame: bytes, offset: int = 0) -> dict[str, Any]:
    return {"digest": digest, "size": len(content), "offset": offset, "length": len(frame)}


def _known(connection: Connection, digests: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for start in range(0, len(digests), _PART):
        part = _BLOB.c.digest.in_(digests[start : start + _PART])
        known.update(connection.scalars(select(_BLOB.c.digest).where(part)))
    return known


def _pack_id(connection: Connection, name: str) -> int:
    connection.execute(upsert(_PACK).values(name=name).on_conflict_do_nothing())
    return int(connection.execute(select(_PACK.c.id).where(_PACK.c.name == name)).scalar_one())


def _pack_of(place: Any) -> str:
    return place.name or ""


def _corrupt(what: str, why: str) -> CorruptBlob:
    return CorruptBlob(f"{what} cannot be read: {why}; restore it from a copy, or crawl its source again.")
