"""Blob store in an S3 bucket: small blobs stored together share a pack that is read by byte
ranges.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import botocore.session
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.loaders import create_loader
from sqlalchemy import Engine

from crawler.errors import Misconfigured
from storage.blobs.indexed_blobs import (
    BlobLocation,
    IndexedBlobStore,
    blob_row,
    compress_blob,
    corrupt_blob_error,
    loose_object_name,
)
from storage.errors import StoreUnavailable

_PART: Final = 16 << 20
"""Bytes of a part of a large upload, and from which an upload has parts."""
_GAP: Final = 1 << 20
"""Bytes between two members of a pack that are read along with both: a request costs more."""
_LOADER: Final = create_loader()
_OURS: Final = ("loose/", "packs/")
_GONE: Final = ("404", "NoSuchKey")
_REFUSED: Final = (
    "403",
    "AccessDenied",
    "AllAccessDisabled",
    "InvalidAccessKeyId",
    "NoSuchBucket",
    "SignatureDoesNotMatch",
    "ExpiredToken",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Where blobs are kept, and how they are written there; credentials come by boto3's own
    chain.
    """

    name: str
    prefix: str = ""
    endpoint: str = ""
    """Of a server that is not Amazon's."""
    region: str = ""
    encryption: str = ""
    """Server-side: `AES256`, `aws:kms` or `aws:kms:KEY`."""
    attempts: int = 6
    """Tries of a request before it counts as a passing trouble of the task."""

    @property
    def upload_arguments(self) -> dict[str, str]:
        """What every upload says of encryption."""
        if self.encryption.startswith("aws:kms:"):
            return {
                "ServerSideEncryption": "aws:kms",
                "SSEKMSKeyId": self.encryption.removeprefix("aws:kms:"),
            }
        return {"ServerSideEncryption": self.encryption} if self.encryption else {}


@cache
def preload_client() -> None:
    """Read what boto3 knows of S3, so that processes which this one forks need not: it takes a
    tenth of a second.
    """
    _session().client(
        "s3", region_name="us-east-1", config=Config(signature_version=UNSIGNED)
    ).close()


def parse_bucket_address(
    address: str, *, endpoint: str = "", region: str = "", encryption: str = ""
) -> Bucket:
    """Return the bucket that `s3://NAME[/PREFIX]` names; raises `Misconfigured` for another
    address.
    """
    parts = urlsplit(address)
    if parts.scheme != "s3" or not parts.netloc or parts.query or parts.fragment:
        raise Misconfigured(
            "the setting `blobs` names no bucket: write s3://BUCKET or s3://BUCKET/PREFIX"
        )
    prefix = parts.path.strip("/")
    return Bucket(
        name=parts.netloc,
        prefix=f"{prefix}/" if prefix else "",
        endpoint=endpoint,
        region=region,
        encryption=encryption,
    )


class S3BlobStore(IndexedBlobStore):
    """A `BlobStore` in a bucket; a key is made of what is stored under it, so writing twice
    changes nothing.
    """

    # an object is there whole or not at all
    reclaims_partial_packs = False

    def __init__(self, bucket: Bucket, engine: Engine) -> None:
        super().__init__(engine)
        self._bucket = bucket
        self._transfer = TransferConfig(
            multipart_threshold=_PART, multipart_chunksize=_PART, max_concurrency=4
        )

    @cached_property
    def _client(self) -> Any:
        # made by who needs it: most that open a store ask nothing of its blobs
        return _client(self._bucket)

    def check_access(self) -> None:
        """Raise `Misconfigured` where the bucket is not there or not ours to use, `StoreAway`
        where nobody answers.
        """
        with self._asked():
            self._client.head_bucket(Bucket=self._bucket.name)

    def close(self) -> None:
        """Let the connections go."""
        if "_client" in self.__dict__:
            self._client.close()

    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        if len(small) == 1:
            loose, small = {**loose, **small}, {}
        for digest, content in loose.items():
            frame = compress_blob(content)
            self._upload(loose_object_name(digest), frame)
            self._record_locations([blob_row(digest, content, frame)], [None])
        if small:
            self._keep_pack(small)

    def _keep_pack(self, small: dict[str, bytes]) -> None:
        frames = [compress_blob(content) for content in small.values()]
        whole = b"".join(frames)
        name = f"packs/{hashlib.sha256(whole).hexdigest()}.pack"
        self._upload(name, whole)
        rows, offset = [], 0
        for (digest, content), frame in zip(small.items(), frames, strict=True):
            rows.append(blob_row(digest, content, frame, offset))
            offset += len(frame)
        self._record_locations(rows, [name] * len(rows))

    def _read_frames(
        self, pack: str, places: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        if not pack:
            for place in places:
                yield place, self._download(loose_object_name(place.digest), place)
            return
        for some in _spans(places):
            first, last = (
                some[0].offset,
                max(place.offset + place.length for place in some),
            )
            content = self._download(pack, some[0], f"bytes={first}-{last - 1}")
            for place in some:
                yield (
                    place,
                    content[place.offset - first : place.offset - first + place.length],
                )

    def _overwrite_frames(self, pack: str, places: Sequence[BlobLocation]) -> None:
        whole = bytearray(self._download(pack, places[0]))
        for place in places:
            whole[place.offset : place.offset + place.length] = bytes(place.length)
        self._upload(pack, bytes(whole))

    def _iter_objects_before(self, before: float) -> Iterator[str]:
        with self._asked():
            for page in self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket.name, Prefix=self._bucket.prefix
            ):
                for found in page.get("Contents", ()):
                    name = found["Key"].removeprefix(self._bucket.prefix)
                    if (
                        name.startswith(_OURS)
                        and found["LastModified"].timestamp() < before
                    ):
                        yield name

    def _delete_object(self, name: str) -> None:
        with self._asked():
            self._client.delete_object(Bucket=self._bucket.name, Key=self._key(name))

    def _upload(self, name: str, content: bytes) -> None:
        with self._asked():
            self._client.upload_fileobj(
                io.BytesIO(content),
                self._bucket.name,
                self._key(name),
                ExtraArgs=self._bucket.upload_arguments,
                Config=self._transfer,
            )

    def _download(self, name: str, place: BlobLocation, span: str = "") -> bytes:
        try:
            with self._asked():
                asked = {
                    "Bucket": self._bucket.name,
                    "Key": self._key(name),
                    **({"Range": span} if span else {}),
                }
                return bytes(self._client.get_object(**asked)["Body"].read())
        except KeyError as error:
            raise corrupt_blob_error(
                f"Blob {place.digest}", f"{name} is not in the bucket"
            ) from error

    def _key(self, name: str) -> str:
        return self._bucket.prefix + name

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Turn what the bucket says into our errors; `KeyError` for what is not there."""
        try:
            yield
        except (NoCredentialsError, PartialCredentialsError) as error:
            raise _refused(self._bucket, str(error)) from error
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if code in _GONE:
                raise KeyError(code) from error
            if code in _REFUSED:
                raise _refused(self._bucket, code) from error
            raise _away(self._bucket, str(error)) from error
        except (BotoCoreError, Boto3Error) as error:
            raise _away(self._bucket, str(error)) from error


def _client(bucket: Bucket) -> Any:
    config = Config(
        # we hold what is read against its own digest, and botocore trips over an error that it
        # wants to check
        response_checksum_validation="when_required",
        # over TLS boto3 sends a checksum behind the content, in pieces without a length, which
        # only Amazon's takes
        request_checksum_calculation="when_required"
        if bucket.endpoint
        else "when_supported",
        retries={"total_max_attempts": bucket.attempts, "mode": "standard"},
        connect_timeout=10,
        read_timeout=60,
        max_pool_connections=8,
        s3={"addressing_style": "path"} if bucket.endpoint else {},
    )
    places = {
        "endpoint_url": bucket.endpoint or None,
        "region_name": bucket.region or None,
    }
    return _session().client("s3", config=config, **places)


def _session() -> Any:
    # a session of our own: the default one is shared by all threads; what it reads of S3 may
    # well be
    known = botocore.session.get_session()
    known.register_component("data_loader", _LOADER)
    return boto3.session.Session(botocore_session=known)


def _spans(places: Sequence[BlobLocation]) -> Iterator[list[BlobLocation]]:
    """Yield runs of a pack's members that are worth one request."""
    run: list[BlobLocation] = []
    for place in sorted(places, key=lambda place: int(place.offset)):
        if run and place.offset - (run[-1].offset + run[-1].length) > _GAP:
            yield run
            run = []
        run.append(place)
    yield run


def _refused(bucket: Bucket, why: str) -> Misconfigured:
    return Misconfigured(
        f"the bucket {bucket.name} is not ours to use ({why}): see its name, the credentials and the policy",
        code="bad-credentials",
    )


def _away(bucket: Bucket, why: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bucket {bucket.name} does not answer ({why}); see that it is there, and try again."
    )
