"""Addresses of buckets."""

from __future__ import annotations

import pytest

from crawler.errors import Misconfigured
from storage.blobs.bucket import Bucket, parse_bucket_address


@pytest.mark.parametrize(
    ("address", "name", "prefix"),
    [
        ("s3://kernels", "kernels", ""),
        ("s3://kernels/", "kernels", ""),
        ("s3://kernels/team/one", "kernels", "team/one/"),
        ("s3://kernels//team/", "kernels", "team/"),
    ],
)
def test_a_prefix_ends_with_a_slash_or_is_empty(
    address: str, name: str, prefix: str
) -> None:
    bucket = parse_bucket_address(address, endpoint="http://there", region="here")
    assert (bucket.name, bucket.prefix) == (name, prefix)
    assert (bucket.endpoint, bucket.region) == ("http://there", "here")


@pytest.mark.parametrize(
    "address", ["", "kernels", "s3:kernels", "http://kernels", "s3://", "s3://k?v=1"]
)
def test_what_names_no_bucket_is_refused(address: str) -> None:
    with pytest.raises(Misconfigured, match="write s3://BUCKET"):
        parse_bucket_address(address)


@pytest.mark.parametrize(
    ("encryption", "arguments"),
    [
        ("", {}),
        ("AES256", {"ServerSideEncryption": "AES256"}),
        ("aws:kms", {"ServerSideEncryption": "aws:kms"}),
        (
            "aws:kms:arn:aws:kms:1:key/2",
            {
                "ServerSideEncryption": "aws:kms",
                "SSEKMSKeyId": "arn:aws:kms:1:key/2",
            },
        ),
    ],
)
def test_every_upload_asks_for_the_encryption(
    encryption: str, arguments: dict[str, str]
) -> None:
    assert Bucket(name="kernels", encryption=encryption).upload_arguments == arguments
