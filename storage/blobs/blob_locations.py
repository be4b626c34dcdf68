"""SQL rows of blob locations: where each blob lies, and which are doomed.

`doomed_at` of a row is 0 for a live blob. Above 0 it is when garbage collection first found the
blob unreferenced. Below 0 its bytes are being erased, or were when an erasure was cut short: the
blob is no longer there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    bindparam,
    delete,
    select,
    update,
)

from storage.blobs.frames import LOOSE_PREFIX, loose_object_digest
from storage.database.base import upsert
from storage.database.chunks import CHUNK_SIZE, iter_slices
from storage.database.engine import read_transaction, write_transaction
from storage.tables import BLOB, PACK

IS_PRESENT: Final = BLOB.c.doomed_at >= 0
IS_DOOMED: Final = BLOB.c.doomed_at > 0
_BEING_ERASED: Final = -1.0
BlobLocation = Any
"""A row: digest, size, offset, length, and `name` of its pack, or `None` for a loose blob."""
BlobRow = dict[str, Any]

_LOCATIONS: Final = (
    select(BLOB.c.digest, BLOB.c.size, BLOB.c.offset, BLOB.c.length, PACK.c.name)
    .join_from(BLOB, PACK, BLOB.c.pack == PACK.c.id, isouter=True)
    .where(BLOB.c.digest.in_(bindparam("digests", expanding=True)))
)


def pack_of(location: BlobLocation) -> str:
    """Return the name of the pack that holds a blob, empty for a loose one."""
    return location.name or ""


def blob_row(digest: str, content: bytes, frame: bytes, offset: int = 0) -> BlobRow:
    """Return the row of a blob without its pack."""
    return {
        "digest": digest,
        "size": len(content),
        "offset": offset,
        "length": len(frame),
    }


def find_locations(engine: Engine, digests: Sequence[str]) -> dict[str, BlobLocation]:
    """Return the locations of those of `digests` that are there, by digest."""
    locations: dict[str, BlobLocation] = {}
    statement = _LOCATIONS.where(IS_PRESENT)

    with read_transaction(engine) as connection:
        for chunk in iter_slices(digests, CHUNK_SIZE):
            rows = connection.execute(statement, {"digests": chunk}).all()
            for row in rows:
                locations[row.digest] = row

    return locations


def read_doom_times(connection: Connection, digests: Sequence[str]) -> dict[str, float]:
    """Return `doomed_at` of those of `digests` that are there, by digest."""
    doom_times: dict[str, float] = {}
    columns = BLOB.c.digest, BLOB.c.doomed_at

    for chunk in iter_slices(digests, CHUNK_SIZE):
        is_in_chunk = BLOB.c.digest.in_(chunk)
        statement = select(*columns).where(is_in_chunk, IS_PRESENT)
        for row in connection.execute(statement):
            doom_times[row.digest] = row.doomed_at

    return doom_times


def save_doomed_blobs(engine: Engine, digests: Sequence[str]) -> None:
    """Mark blobs as live again."""
    with write_transaction(engine) as connection:
        for chunk in iter_slices(digests, CHUNK_SIZE):
            is_in_chunk = BLOB.c.digest.in_(chunk)
            doomed = update(BLOB).where(is_in_chunk, IS_DOOMED)
            connection.execute(doomed.values(doomed_at=0.0))


def record_locations(
    engine: Engine, rows: Sequence[BlobRow], packs: Sequence[str | None]
) -> None:
    """Write the rows of stored blobs; `packs` names the pack of each, `None` for a loose one."""
    if not rows:
        return

    with write_transaction(engine) as connection:
        # packs come first: a blob's row refers to the id of its pack
        pack_ids: dict[str, int] = {}
        for name in sorted({pack for pack in packs if pack}):
            pack_ids[name] = _ensure_pack(connection, name)

        located: list[BlobRow] = []
        for row, pack in zip(rows, packs, strict=True):
            pack_id = pack_ids[pack] if pack else None
            located.append({**row, "pack": pack_id})

        # in one order, so that two writers never wait for each other
        located.sort(key=lambda row: str(row["digest"]))
        statement = _insert_or_revive(located[0])
        connection.execute(statement, located)


def _insert_or_revive(row: BlobRow) -> Any:
    """Return the insert of rows like `row`, which replaces only what is being erased."""
    statement = upsert(BLOB)
    replaced: dict[str, Any] = {}
    for name in (*row, "doomed_at"):
        replaced[name] = statement.excluded[name]

    return statement.on_conflict_do_update(
        index_elements=["digest"],
        set_=replaced,
        where=~IS_PRESENT,
    )


def _ensure_pack(connection: Connection, name: str) -> int:
    # another process may write to the same pack
    inserted = upsert(PACK).values(name=name)
    connection.execute(inserted.on_conflict_do_nothing())

    statement = select(PACK.c.id).where(PACK.c.name == name)
    pack = connection.execute(statement).scalar_one()
    return int(pack)


def begin_erasure(
    engine: Engine, digests: Sequence[str], conditions: Sequence[ColumnElement[bool]]
) -> tuple[list[BlobLocation], set[str]]:
    """Mark those of `digests` that meet `conditions` as being erased.

    Returns their locations and the packs that hold nothing else; what an erasure that was cut
    short has marked is among them.
    """
    is_named = BLOB.c.digest.in_(digests)
    going = update(BLOB).where(is_named, *conditions)
    with write_transaction(engine) as connection:
        connection.execute(going.values(doomed_at=_BEING_ERASED))

    statement = _LOCATIONS.where(~IS_PRESENT)
    with read_transaction(engine) as connection:
        locations = connection.execute(statement, {"digests": digests}).all()
        packs = {location.name for location in locations if location.name}
        empty_packs = _find_empty_packs(connection, packs)

    return list(locations), empty_packs


def end_erasure(engine: Engine, digests: Sequence[str], packs: Collection[str]) -> None:
    """Delete the rows of erased blobs, and of `packs` that are gone."""
    is_named = BLOB.c.digest.in_(digests)
    is_gone = PACK.c.name.in_(packs)
    with write_transaction(engine) as connection:
        # one that was stored again in the meantime stays
        connection.execute(delete(BLOB).where(is_named, ~IS_PRESENT))
        connection.execute(delete(PACK).where(is_gone))


def _find_empty_packs(connection: Connection, packs: Collection[str]) -> set[str]:
    # one that holds doomed blobs is not empty: they may still be saved
    is_member = BLOB.c.pack == PACK.c.id
    members = select(BLOB.c.pack).where(is_member, IS_PRESENT)
    is_candidate = PACK.c.name.in_(packs)
    empty = select(PACK.c.name).where(is_candidate, ~members.exists())

    return set(connection.scalars(empty))


def find_referenced_objects(engine: Engine, names: Sequence[str]) -> set[str]:
    """Return those of the object `names` that a row references."""
    loose_names: dict[str, str] = {}
    for name in names:
        if name.startswith(LOOSE_PREFIX):
            loose_names[loose_object_digest(name)] = name

    is_named = BLOB.c.digest.in_(loose_names)
    is_loose = BLOB.c.pack.is_(None)
    loose = select(BLOB.c.digest).where(is_named, is_loose)

    # a pack whose row is left without any blob is not referenced
    is_member = BLOB.c.pack == PACK.c.id
    members = select(BLOB).where(is_member)
    is_named_pack = PACK.c.name.in_(names)
    packs = select(PACK.c.name).where(is_named_pack, members.exists())

    with read_transaction(engine) as connection:
        loose_digests = connection.scalars(loose).all()
        referenced = set(connection.scalars(packs))

    referenced.update(loose_names[digest] for digest in loose_digests)
    return referenced
