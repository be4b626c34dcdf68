"""What keeps a blob alive: rows, and lists that rows name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database.engine import read_transaction
from storage.maintenance.live_blobs import (
    PURGE_PLAN_KEY,
    find_digests,
    live_digests,
    referenced_digests,
)
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit

DIGEST = "0123456789abcdef" * 4


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        yield storage


def live(storage: Storage) -> set[str]:
    with read_transaction(storage.engine) as connection:
        return live_digests(connection, storage.blobs)


@pytest.mark.parametrize(
    "value",
    [DIGEST, f'{{"blob": "{DIGEST}"}}', f"sha256:{DIGEST}", f"[{DIGEST}]".encode()],
)
def test_a_digest_is_found_wherever_it_stands(value: object) -> None:
    assert list(find_digests([(1, None, value)])) == [DIGEST]


@pytest.mark.parametrize(
    "value", ["", DIGEST[:-1], f"{DIGEST}0", f"a{DIGEST}", DIGEST.upper(), 5, None]
)
def test_what_is_no_digest_is_none(value: object) -> None:
    assert list(find_digests([(value,)])) == []


def test_bytes_that_are_no_text_are_searched_too() -> None:
    assert list(find_digests([(b"\xff\xfe" + DIGEST.encode() + b"\xff",)])) == [DIGEST]


def test_rows_of_any_table_keep_blobs_alive(storage: Storage) -> None:
    unit = make_unit("text")
    storage.index.put_kernels(REPO, [make_kernel("k", unit=unit)])
    snapshot = storage.blobs.put(b"sources")
    storage.index.put_commit(REPO, snapshot, "")
    with read_transaction(storage.engine) as connection:
        digests = referenced_digests(connection)
    assert {unit.digest, snapshot} <= digests


def test_the_location_of_a_blob_does_not_keep_it_alive(storage: Storage) -> None:
    digest = storage.blobs.put(b"nobody names it")
    assert digest not in live(storage)


def test_a_list_keeps_alive_what_it_names_at_any_depth(storage: Storage) -> None:
    leaf = storage.blobs.put(b"leaf")
    inner = storage.blobs.put(json.dumps([leaf]).encode())
    outer = storage.blobs.put(json.dumps({"kernels": inner}).encode())
    plain = storage.blobs.put(b"a text, not a list: " + leaf.encode())
    storage.source_memory.remember("parse", outer.encode())
    assert {outer, inner, leaf} <= live(storage)
    storage.source_memory.remember("parse", plain.encode())
    assert live(storage) == {plain}


def test_a_purge_plan_keeps_nothing_alive(storage: Storage) -> None:
    digest = storage.blobs.put(b"to be purged")
    storage.source_memory.remember(PURGE_PLAN_KEY, json.dumps([digest]).encode())
    assert live(storage) == set()
