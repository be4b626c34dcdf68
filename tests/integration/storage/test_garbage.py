"""What nothing names goes from a store once its grace is over, and nothing else does, whoever
is at work.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from sqlalchemy import update

from crawler.errors import Misconfigured
from storage.blobs.bucket import Bucket
from storage.database.engine import write_transaction
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.maintenance.garbage import CollectionResult, collect_garbage
from storage.maintenance.verify_blobs import verify_blobs
from storage.open import Storage, open_storage
from storage.tables import BLOB

LARGE = [bytes([number]) * 100_000 for number in range(3)]
SMALL = [b"small %d" % number for number in range(50)]
HOUR = 3600.0


@pytest.fixture(params=["local", "s3"])
def bucket(request: pytest.FixtureRequest) -> Bucket | None:
    return request.getfixturevalue("new_bucket")() if request.param == "s3" else None


@pytest.fixture
def storage(
    bucket: Bucket | None, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Storage]:
    database = request.getfixturevalue("empty_database")() if bucket else ""
    with open_storage(tmp_path, database=database, bucket=bucket) as opened:
        yield opened


def collect(
    storage: Storage, *, grace: float = HOUR, later: float = 0.0, **options: Any
) -> CollectionResult:
    return collect_garbage(
        storage.engine,
        storage.blobs,
        grace_seconds=grace,
        now=time.time() + later,
        **options,
    )


def name_blobs(storage: Storage, *digests: str) -> None:
    """Let a task that is done name them."""
    spec = TaskSpec(
        stage=Stage.CLONE,
        key=digests[0],
        version="1",
        queue="q",
        payload=digests[-1],
        subject="s",
    )
    storage.ledger.open_crawl(digests, (spec,))
    claim = storage.ledger.claim("me", (Stage.CLONE,), 60)
    assert claim
    storage.ledger.finish(claim, Outcome(result=json.dumps(digests)))


def test_what_has_no_name_goes_after_its_grace_and_what_has_one_stays(
    storage: Storage,
) -> None:
    referenced = storage.blobs.put_many([*SMALL[:10], LARGE[0]])
    name_blobs(storage, *referenced)
    lost = storage.blobs.put_many([*SMALL[20:], *LARGE[1:]])
    assert collect(storage).doomed == len(lost)
    assert (collect(storage, later=HOUR / 2).blobs, storage.blobs.has(lost[0])) == (
        0,
        True,
    )
    assert collect(storage, later=2 * HOUR, dry_run=True).blobs == len(lost)
    gone = collect(storage, later=2 * HOUR)
    assert (gone.blobs, gone.doomed) == (len(lost), 0)
    assert gone.bytes > 0
    assert [storage.blobs.has(digest) for digest in lost] == [False] * len(lost)
    assert storage.blobs.get_many(referenced) == (*SMALL[:10], LARGE[0])
    assert verify_blobs(storage.engine, storage.blobs).corrupt == ()
    assert storage.blobs.get_many(storage.blobs.put_many(SMALL)) == tuple(SMALL), (
        "and it can come again"
    )


def test_storing_it_again_saves_what_was_doomed(storage: Storage) -> None:
    digest = storage.blobs.put(SMALL[0])
    collect(storage)
    storage.blobs.put(SMALL[0])
    assert collect(storage, later=2 * HOUR).blobs == 0
    assert storage.blobs.get(digest) == SMALL[0]


def test_what_a_stored_list_names_is_wanted_too(storage: Storage) -> None:
    inner = storage.blobs.put(SMALL[0])
    middle = storage.blobs.put(json.dumps([{"kernel": inner}]).encode())
    outer = storage.blobs.put(json.dumps({"runs": middle}).encode())
    name_blobs(storage, outer)
    storage.blobs.put(SMALL[1])
    assert collect(storage, grace=0.0).blobs == 1
    assert storage.blobs.get_many([inner, middle, outer])


def test_objects_that_a_killed_writer_left_go_by_their_age(
    storage: Storage, bucket: Bucket | None, tmp_path: Path
) -> None:
    names = ["loose/ab/" + "c" * 62, "packs/" + "d" * 64 + ".pack"]
    referenced = storage.blobs.put_many([*SMALL, *LARGE])
    name_blobs(storage, *referenced)
    for name in names:
        leave_object(name, bucket, tmp_path)
    assert collect(storage).strays == 0
    assert collect(storage, later=2 * HOUR).strays == len(names)
    assert storage.blobs.get_many(referenced) == (*SMALL, *LARGE)
    assert collect(storage, later=2 * HOUR).strays == 0


def leave_object(name: str, bucket: Bucket | None, home: Path) -> None:
    """Write what a writer had written that was killed before its rows."""
    if bucket is None:
        path = home / "blobs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        return
    client = boto3.session.Session().client("s3", endpoint_url=bucket.endpoint)
    client.put_object(Bucket=bucket.name, Key=bucket.prefix + name, Body=b"x")
    client.close()


def test_a_collection_that_was_cut_short_is_finished_by_the_next(
    storage: Storage,
) -> None:
    digests = storage.blobs.put_many([SMALL[0], *LARGE])
    with write_transaction(storage.engine) as connection:
        connection.execute(update(BLOB).values(doomed_at=-1.0))
    assert not storage.blobs.has(digests[0])
    with pytest.raises(KeyError):
        storage.blobs.get(digests[1])
    assert storage.blobs.put(LARGE[0]) == digests[1]
    assert storage.blobs.get(digests[1]) == LARGE[0], "stored anew"
    name_blobs(storage, digests[1])
    assert collect(storage).blobs == 3
    assert storage.blobs.get(digests[1]) == LARGE[0]


def test_a_short_grace_is_refused_while_tasks_run(storage: Storage) -> None:
    spec = TaskSpec(
        stage=Stage.CLONE, key="k", version="1", queue="q", payload="{}", subject="s"
    )
    storage.ledger.open_crawl(("x",), (spec,))
    assert storage.ledger.claim("me", (Stage.CLONE,), 60)
    with pytest.raises(Misconfigured, match="longer grace"):
        collect(storage, grace=0.0, task_seconds=HOUR)
    assert collect(storage, grace=HOUR, task_seconds=HOUR).blobs == 0


def test_who_stores_meanwhile_never_leaves_a_row_without_its_bytes(
    storage: Storage,
) -> None:
    ended = threading.Event()

    def store() -> None:
        while not ended.wait(0.03):
            storage.blobs.put_many([*SMALL[:5], *LARGE[:1]])

    storing = threading.Thread(target=store)
    storing.start()
    try:
        erased = 0
        for _ in range(40):
            erased += collect(storage, grace=0.0, later=1.0).blobs
            assert verify_blobs(storage.engine, storage.blobs).corrupt == ()
            if erased > 10:
                break
    finally:
        ended.set()
        storing.join()
    assert erased > 0
    assert verify_blobs(storage.engine, storage.blobs).corrupt == ()


def test_what_is_erased_of_a_local_pack_frees_its_room(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        referenced = storage.blobs.put(b"kept")
        name_blobs(storage, referenced)
        storage.blobs.put_many(os.urandom(60_000) for _ in range(40))
        (pack,) = (tmp_path / "blobs" / "packs").iterdir()
        before = pack.stat()
        collect(storage, grace=0.0)
        after = pack.stat()
        assert storage.blobs.get(referenced) == b"kept"
    assert after.st_size == before.st_size
    assert after.st_blocks < before.st_blocks / 10
