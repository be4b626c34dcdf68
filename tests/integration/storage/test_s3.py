"""What is particular to a bucket: requests are few, retried, checked and encrypted, and
refusals are told.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from crawler.errors import Misconfigured
from storage.blobs.bucket import Bucket, parse_bucket_address
from storage.blobs.s3_blobs import S3BlobStore
from storage.errors import CorruptBlob, StoreUnavailable
from storage.open import Storage, open_storage
from tests.servers.s3 import S3

SMALL = [b"small %d" % number for number in range(50)]


@pytest.fixture
def client(s3: S3) -> Iterator[Any]:
    made = boto3.session.Session().client("s3", endpoint_url=s3.url)
    yield made
    made.close()


@pytest.fixture
def bucket(new_bucket: Callable[..., Bucket]) -> Bucket:
    return new_bucket(unreliable=True)


@pytest.fixture
def storage(bucket: Bucket, tmp_path: Path, s3: S3) -> Iterator[Storage]:
    s3.asked.clear()
    with open_storage(tmp_path, bucket=bucket) as opened:
        yield opened
    s3.errors = s3.slow = 0.0


def keys(client: Any, bucket: Bucket) -> list[str]:
    return [
        entry["Key"]
        for entry in client.list_objects_v2(Bucket=bucket.name).get("Contents", [])
    ]


def test_small_ones_are_one_object_and_come_back_by_one_request(
    storage: Storage, bucket: Bucket, client: Any, s3: S3
) -> None:
    digests = storage.blobs.put_many(SMALL)
    assert [key.split("/")[:2] for key in keys(client, bucket)] == [["team", "packs"]]
    s3.asked.clear()
    assert storage.blobs.get_many(digests) == tuple(SMALL)
    assert len(s3.asked) == 1
    storage.blobs.put_many(SMALL)
    assert len(s3.asked) == 1, "what is there is not sent again"


def test_members_far_apart_are_not_read_through(storage: Storage, s3: S3) -> None:
    noise = [os.urandom(60_000) for _ in range(60)]
    digests = storage.blobs.put_many(noise)
    s3.asked.clear()
    assert storage.blobs.get_many([digests[0], digests[-1]]) == (noise[0], noise[-1])
    assert len(s3.asked) == 2


def test_requests_that_fail_are_made_again(storage: Storage, s3: S3) -> None:
    s3.errors = 0.3
    contents = [os.urandom(70_000) for _ in range(6)]
    digests = storage.blobs.put_many(contents)
    assert storage.blobs.get_many(digests) == tuple(contents)
    assert len(s3.asked) > 12


def test_a_large_one_is_sent_in_parts(
    storage: Storage, bucket: Bucket, client: Any, s3: S3
) -> None:
    content = os.urandom(33 << 20)
    digest = storage.blobs.put(content)
    assert storage.blobs.get(digest) == content
    (key,) = keys(client, bucket)
    assert key == f"team/loose/{digest[:2]}/{digest[2:]}"
    assert client.head_object(Bucket=bucket.name, Key=key)["ETag"].endswith('-3"')


@pytest.mark.parametrize(
    ("encryption", "headers"),
    [("AES256", ("AES256", None)), ("aws:kms:alias/ours", ("aws:kms", "alias/ours"))],
)
def test_what_is_stored_is_encrypted_as_asked(
    new_bucket: Callable[..., Bucket],
    client: Any,
    tmp_path: Path,
    encryption: str,
    headers: tuple[str, str | None],
) -> None:
    bucket = new_bucket(encryption=encryption)
    with open_storage(tmp_path, bucket=bucket) as storage:
        storage.blobs.put_many(SMALL)
    head = client.head_object(Bucket=bucket.name, Key=keys(client, bucket)[0])
    assert (head["ServerSideEncryption"], head.get("SSEKMSKeyId")) == headers


def test_what_was_changed_or_lost_there_is_never_given_out(
    storage: Storage, bucket: Bucket, client: Any
) -> None:
    digest = storage.blobs.put(b"true")
    (key,) = keys(client, bucket)
    client.put_object(Bucket=bucket.name, Key=key, Body=b"false")
    with pytest.raises(CorruptBlob, match="crawl its source again"):
        storage.blobs.get(digest)
    client.delete_object(Bucket=bucket.name, Key=key)
    with pytest.raises(CorruptBlob, match="not in the bucket"):
        storage.blobs.get(digest)


def test_what_is_erased_leaves_no_bytes_and_its_neighbours_whole(
    storage: Storage, bucket: Bucket, client: Any
) -> None:
    secret = os.urandom(500)
    digests = storage.blobs.put_many([*SMALL, secret])
    alone = storage.blobs.put(b"alone")
    assert storage.blobs.erase([digests[-1], alone]) == 2
    assert storage.blobs.get_many(digests[:-1]) == tuple(SMALL)
    (key,) = keys(client, bucket)
    assert secret not in client.get_object(Bucket=bucket.name, Key=key)["Body"].read()
    with pytest.raises(KeyError):
        storage.blobs.get(digests[-1])


def test_a_bucket_that_is_not_there_is_the_operator_s_to_mend(
    bucket: Bucket, tmp_path: Path
) -> None:
    with open_storage(
        tmp_path, bucket=replace(bucket, name="no-such-bucket")
    ) as storage:
        assert isinstance(storage.blobs, S3BlobStore)
        with pytest.raises(Misconfigured, match="no-such-bucket"):
            storage.blobs.put(b"x")


def test_a_server_that_does_not_answer_is_a_passing_trouble(
    bucket: Bucket, tmp_path: Path
) -> None:
    away = replace(bucket, endpoint="http://127.0.0.1:9", attempts=1)
    with open_storage(tmp_path, bucket=away) as storage:
        with pytest.raises(StoreUnavailable, match="does not answer"):
            storage.blobs.put(b"x")
        assert not storage.blobs.has(hashlib.sha256(b"x").hexdigest())


@pytest.mark.parametrize(
    "address", ["gs://bucket", "s3:///prefix", "bucket", "s3://bucket?versionId=1"]
)
def test_another_kind_of_address_is_told(address: str) -> None:
    with pytest.raises(Misconfigured, match="s3://BUCKET"):
        parse_bucket_address(address)
