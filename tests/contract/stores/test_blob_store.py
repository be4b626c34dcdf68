"""What every blob store does, whatever it keeps its bytes in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.in_memory.blobs import InMemoryBlobStore
from storage.interfaces import BlobStore
from storage.open import open_storage

LARGE = bytes(range(256)) * 1024


@pytest.fixture(params=["memory", "local", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BlobStore]:
    if request.param == "memory":
        yield InMemoryBlobStore()
        return
    bucket = request.getfixturevalue("new_bucket")() if request.param == "s3" else None
    with open_storage(tmp_path, bucket=bucket) as storage:
        yield storage.blobs


def test_a_key_is_the_sha256_of_the_content(blobs: BlobStore) -> None:
    for content in (b"", b"kernel", LARGE):
        digest = blobs.put(content)
        assert digest == hashlib.sha256(content).hexdigest()
        assert blobs.get(digest) == content
        assert blobs.has(digest)


def test_storing_twice_gives_the_same_key(blobs: BlobStore) -> None:
    assert blobs.put(b"again") == blobs.put(b"again")
    assert blobs.put_many([b"again", LARGE, LARGE]) == (
        blobs.put(b"again"),
        blobs.put(LARGE),
        blobs.put(LARGE),
    )


def test_many_come_back_in_their_order(blobs: BlobStore) -> None:
    contents = [b"small %d" % number for number in range(600)] + [LARGE] + [b"last"]
    digests = blobs.put_many(iter(contents))
    assert [blobs.get(digest) for digest in digests[::50]] == contents[::50]
    assert blobs.get_many([*digests, digests[3]]) == (*contents, contents[3])
    assert blobs.put_many([]) == ()
    assert blobs.get_many([]) == ()


def test_what_is_not_there_is_a_key_error(blobs: BlobStore) -> None:
    digest = hashlib.sha256(b"never stored").hexdigest()
    assert not blobs.has(digest)
    with pytest.raises(KeyError, match=digest):
        blobs.get(digest)
    with pytest.raises(KeyError, match=digest):
        blobs.get_many([blobs.put(b"there"), digest])


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    contents=st.lists(
        st.binary(max_size=200)
        | st.integers(0, 2**17).map(lambda size: b"\x07" * size),
        max_size=6,
    )
)
def test_any_bytes_come_back(blobs: BlobStore, contents: list[bytes]) -> None:
    assert [blobs.get(digest) for digest in blobs.put_many(contents)] == contents
