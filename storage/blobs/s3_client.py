"""S3 clients of boto3, and translation of their errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import boto3
import botocore.session
from boto3.exceptions import Boto3Error
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.loaders import create_loader

from crawler.errors import Misconfigured
from storage.blobs.bucket import Bucket
from storage.errors import StoreUnavailable

_LOADER: Final = create_loader()
_NOT_FOUND_CODES: Final = ("404", "NoSuchKey")
_REFUSED_CODES: Final = (
    "403",
    "AccessDenied",
    "AllAccessDisabled",
    "InvalidAccessKeyId",
    "NoSuchBucket",
    "SignatureDoesNotMatch",
    "ExpiredToken",
)


@cache
def preload_client() -> None:
    """Load boto3's description of S3 now, so that processes forked from this one need not.

    It takes a tenth of a second.
    """
    config = Config(signature_version=UNSIGNED)
    client = _create_session().client("s3", region_name="us-east-1", config=config)
    client.close()


def create_client(bucket: Bucket) -> Any:
    """Return a client for `bucket`; the caller closes it."""
    # over TLS boto3 sends a checksum behind the content, in chunks without a length, which
    # only Amazon's servers accept
    request_checksums = "when_required" if bucket.endpoint else "when_supported"
    config = Config(
        # we compare what is read with its own digest, and botocore fails on an error response
        # whose checksum it wants to validate
        response_checksum_validation="when_required",
        request_checksum_calculation=request_checksums,
        retries={"total_max_attempts": bucket.attempts, "mode": "standard"},
        connect_timeout=10,
        read_timeout=60,
        max_pool_connections=8,
        s3={"addressing_style": "path"} if bucket.endpoint else {},
    )
    return _create_session().client(
        "s3",
        config=config,
        endpoint_url=bucket.endpoint or None,
        region_name=bucket.region or None,
    )


def _create_session() -> Any:
    # all threads share boto3's default session, which is not safe; the loader of service
    # descriptions may be shared
    session = botocore.session.get_session()
    session.register_component("data_loader", _LOADER)
    return boto3.session.Session(botocore_session=session)


@contextmanager
def translate_s3_errors(bucket: Bucket) -> Iterator[None]:
    """Raise our own errors in place of boto3's, and `KeyError` for an object that is missing."""
    try:
        yield
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise _refused_error(bucket, str(error)) from error
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in _NOT_FOUND_CODES:
            raise KeyError(code) from error
        if code in _REFUSED_CODES:
            raise _refused_error(bucket, code) from error
        raise _unavailable_error(bucket, str(error)) from error
    except (BotoCoreError, Boto3Error) as error:
        raise _unavailable_error(bucket, str(error)) from error


def _refused_error(bucket: Bucket, reason: str) -> Misconfigured:
    return Misconfigured(
        f"the bucket {bucket.name} is not ours to use ({reason}):"
        " see its name, the credentials and the policy",
        code="bad-credentials",
    )


def _unavailable_error(bucket: Bucket, reason: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bucket {bucket.name} does not answer ({reason});"
        " see that it is there, and try again."
    )
