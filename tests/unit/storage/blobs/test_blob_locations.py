"""Rows of blob locations: saved from garbage, replaced while erased, and objects without rows."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from storage.blobs.blob_locations import find_locations, read_doom_times
from storage.blobs.indexed_blobs import PACK_THRESHOLD_BYTES
from storage.database.engine import read_transaction, write_transaction
from storage.open import Storage, open_storage
from storage.tables import BLOB

LARGE = os.urandom(PACK_THRESHOLD_BYTES)


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as storage:
        yield storage


def set_doom_time(storage: Storage, digest: str, doomed_at: float) -> None:
    with write_transaction(storage.engine) as connection:
        doomed = update(BLOB).where(BLOB.c.digest == digest)
        connection.execute(doomed.values(doomed_at=doomed_at))


def doom_time(storage: Storage, digest: str) -> float | None:
    with read_transaction(storage.engine) as connection:
        return read_doom_times(connection, [digest]).get(digest)


def test_a_location_says_pack_or_loose_and_the_size_of_the_content(
    storage: Storage,
) -> None:
    small, large = storage.blobs.put_many([b"small", LARGE])
    locations = find_locations(storage.engine, [small, large, "0" * 64])
    assert set(locations) == {small, large}
    assert (locations[small].size, locations[large].size) == (5, len(LARGE))
    assert locations[small].name.endswith(".pack")
    assert locations[large].name is None


@pytest.mark.parametrize("content", [b"small", LARGE], ids=["packed", "loose"])
def test_storing_a_doomed_blob_again_saves_it(storage: Storage, content: bytes) -> None:
    digest = storage.blobs.put(content)
    set_doom_time(storage, digest, 5.0)
    assert doom_time(storage, digest) == 5.0
    assert storage.blobs.get(digest) == content, "a doomed blob is still there"
    storage.blobs.put(content)
    assert doom_time(storage, digest) == 0.0


def test_a_blob_that_is_being_erased_is_not_there_and_may_be_stored_anew(
    storage: Storage,
) -> None:
    digest = storage.blobs.put(b"content")
    set_doom_time(storage, digest, -1.0)
    assert not storage.blobs.has(digest)
    with pytest.raises(KeyError):
        storage.blobs.get(digest)
    storage.blobs.put(b"content")
    assert storage.blobs.get(digest) == b"content"


def test_an_erasure_that_was_cut_short_is_finished_by_the_next(
    storage: Storage,
) -> None:
    digest, other = storage.blobs.put_many([b"content", b"other"])
    set_doom_time(storage, digest, -1.0)
    assert storage.blobs.erase([digest], BLOB.c.doomed_at > 0) == 1
    assert find_locations(storage.engine, [digest, other]).keys() == {other}


def test_only_what_meets_the_conditions_is_erased(storage: Storage) -> None:
    doomed, live = storage.blobs.put_many([b"doomed", b"live"])
    set_doom_time(storage, doomed, 5.0)
    assert storage.blobs.erase([doomed, live], BLOB.c.doomed_at > 0) == 1
    assert not storage.blobs.has(doomed)
    assert storage.blobs.get(live) == b"live"


def test_the_bytes_of_an_erased_blob_are_gone_from_its_pack(
    storage: Storage, tmp_path: Path
) -> None:
    secret = os.urandom(1000)
    digest, _ = storage.blobs.put_many([secret, b"stays"])
    (pack,) = (tmp_path / "blobs" / "packs").iterdir()
    assert secret in pack.read_bytes()
    storage.blobs.erase([digest])
    assert secret not in pack.read_bytes()


def test_objects_without_a_row_go_once_they_are_old(
    storage: Storage, tmp_path: Path
) -> None:
    digests = storage.blobs.put_many([b"small", LARGE])
    folders = tmp_path / "blobs"
    stray_pack = folders / "packs" / "stray.pack"
    stray_loose = folders / "loose" / "ab" / ("c" * 62)
    stray_loose.parent.mkdir(exist_ok=True)
    for path in (stray_pack, stray_loose):
        path.write_bytes(b"left by a killed writer")
    assert storage.blobs.delete_unreferenced_objects(time.time() - 3600) == 0
    assert storage.blobs.delete_unreferenced_objects(time.time() + 3600) == 2
    assert not stray_pack.exists()
    assert not stray_loose.exists()
    assert storage.blobs.get_many(digests) == (b"small", LARGE)
