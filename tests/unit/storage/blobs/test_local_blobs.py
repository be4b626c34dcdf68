"""Local blobs: rows never name what is not there, and what has changed is never given out."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from crawler.errors import DiskFull
from storage.blobs.indexed_blobs import PACK_THRESHOLD_BYTES
from storage.errors import CorruptBlob
from storage.open import Storage, open_storage

LARGE = os.urandom(PACK_THRESHOLD_BYTES)
MANY = [b"small %d" % number for number in range(50)]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as opened:
        yield opened


def files(home: Path, kind: str) -> list[Path]:
    return [path for path in (home / "blobs" / kind).rglob("*") if path.is_file()]


def test_small_ones_share_a_pack_and_large_ones_do_not(
    storage: Storage, tmp_path: Path
) -> None:
    storage.blobs.put_many([*MANY, LARGE, LARGE])
    assert len(files(tmp_path, "packs")) == 1
    assert len(files(tmp_path, "loose")) == 1
    size = files(tmp_path, "packs")[0].stat().st_size
    storage.blobs.put_many(MANY)
    assert files(tmp_path, "packs")[0].stat().st_size == size, (
        "what is there is not written again"
    )


def test_killed_between_pack_and_row_the_content_is_simply_not_there(
    tmp_path: Path,
) -> None:
    dying = f"""
import os, signal
from pathlib import Path
from storage.blobs import local_blobs
from storage.open import open_storage
storage = open_storage(Path({str(tmp_path)!r}))
storage.blobs.put(b"before")
local_blobs.LocalBlobStore._record_locations = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
storage.blobs.put(b"orphan")
"""
    assert subprocess.run([sys.executable, "-c", dying], check=False).returncode == -9
    with open_storage(tmp_path) as storage:
        orphan = hashlib.sha256(b"orphan").hexdigest()
        assert not storage.blobs.has(orphan)
        with pytest.raises(KeyError):
            storage.blobs.get(orphan)
        assert storage.blobs.put(b"orphan") == orphan
        assert storage.blobs.get_many(
            [orphan, hashlib.sha256(b"before").hexdigest()]
        ) == (b"orphan", b"before")
        assert len(files(tmp_path, "packs")) == 1, "the dead writer's pack is taken up"


@pytest.mark.parametrize("damage", ["torn", "flipped", "gone"])
@pytest.mark.parametrize("content", [b"small", LARGE], ids=["packed", "loose"])
def test_what_has_changed_is_never_given_out(
    storage: Storage, tmp_path: Path, damage: str, content: bytes
) -> None:
    digest = storage.blobs.put(content)
    (path,) = files(
        tmp_path, "packs" if len(content) < PACK_THRESHOLD_BYTES else "loose"
    )
    stored = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(
            stored[:-1] if damage == "torn" else stored[:-1] + bytes([stored[-1] ^ 1])
        )
    with pytest.raises(CorruptBlob, match=r"cannot be read.*crawl its source again"):
        storage.blobs.get(digest)


def test_a_row_that_points_at_another_blob_is_found_out(storage: Storage) -> None:
    first, second = storage.blobs.put_many([b"first!", b"second"])
    with storage.engine.begin() as connection:
        swap = "UPDATE blob SET offset = (SELECT offset FROM blob WHERE digest = :other) WHERE digest = :digest"
        connection.execute(text(swap), {"other": second, "digest": first})
    with pytest.raises(CorruptBlob):
        storage.blobs.get(first)


@pytest.mark.parametrize("content", [b"small", LARGE], ids=["packed", "loose"])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    # the real thing: a limit on the size of files, in a process of its own
    filling = f"""
import resource, signal
from pathlib import Path
from crawler.errors import DiskFull
from storage.open import open_storage
with open_storage(Path({str(tmp_path)!r})) as storage:
    storage.blobs.put(b"before")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))
    try:
        storage.blobs.put(bytes.fromhex({content.hex()!r}))
    except DiskFull as error:
        assert "free some space" in str(error)
    else:
        raise SystemExit("no error")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
"""
    subprocess.run([sys.executable, "-"], input=filling, text=True, check=True)
    assert files(tmp_path, "loose") == files(tmp_path, "scratch") == []
    with open_storage(tmp_path) as storage:
        assert not storage.blobs.has(hashlib.sha256(content).hexdigest())
        assert storage.blobs.get(storage.blobs.put(content)) == content
        assert storage.blobs.get(hashlib.sha256(b"before").hexdigest()) == b"before"


def test_a_database_that_cannot_grow_is_a_full_disk(storage: Storage) -> None:
    with storage.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        pages = connection.exec_driver_sql("PRAGMA max_page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull, match="database cannot grow"):
        storage.blobs.put_many(b"%d" % number for number in range(5000))
