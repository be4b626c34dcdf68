"""Blob store in an S3 bucket: blobs stored together share a pack, read by byte ranges."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from boto3.s3.transfer import TransferConfig
from sqlalchemy import Engine

from storage.blobs.blob_locations import BlobLocation, blob_row
from storage.blobs.bucket import Bucket
from storage.blobs.frames import (
    LOOSE_PREFIX,
    compress_blob,
    corrupt_blob_error,
    loose_object_name,
)
from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.blobs.s3_client import create_client, translate_s3_errors

_UPLOAD_PART_BYTES: Final = 16 << 20
"""Size of the parts of a large upload, and from which an upload has parts."""
_MAX_GAP_BYTES: Final = 1 << 20
"""Bytes between two members of a pack that are read along with both: a request costs more."""
_PACK_PREFIX: Final = "packs/"


class S3BlobStore(IndexedBlobStore):
    """A `BlobStore` in a bucket.

    A key is derived from what is stored under it, so that writing twice changes nothing.
    """

    # an object exists whole or not at all
    reclaims_partial_packs = False

    def __init__(self, bucket: Bucket, engine: Engine) -> None:
        super().__init__(engine)
        self._bucket = bucket
        self._transfer = TransferConfig(
            multipart_threshold=_UPLOAD_PART_BYTES,
            multipart_chunksize=_UPLOAD_PART_BYTES,
            max_concurrency=4,
        )

    @cached_property
    def _client(self) -> Any:
        # made on first use: most processes that open a store read none of its blobs
        return create_client(self._bucket)

    def check_access(self) -> None:
        """Raise `Misconfigured` for a bucket that is missing or forbidden to us.

        Raises `StoreUnavailable` where no server answers.
        """
        with translate_s3_errors(self._bucket):
            self._client.head_bucket(Bucket=self._bucket.name)

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    def _store_fresh(self, loose: dict[str, bytes], small: dict[str, bytes]) -> None:
        if len(small) == 1:
            # a pack of one saves nothing, and a loose object can be erased alone
            loose = {**loose, **small}
            small = {}

        for digest, content in loose.items():
            frame = compress_blob(content)
            self._upload(loose_object_name(digest), frame)
            self._record_locations([blob_row(digest, content, frame)], [None])

        if small:
            self._store_pack(small)

    def _store_pack(self, contents: dict[str, bytes]) -> None:
        frames = [compress_blob(content) for content in contents.values()]
        pack = b"".join(frames)
        name = f"{_PACK_PREFIX}{hashlib.sha256(pack).hexdigest()}.pack"
        # named by its content: an upload that is repeated makes no second pack
        self._upload(name, pack)

        rows = []
        offset = 0

        for (digest, content), frame in zip(contents.items(), frames, strict=True):
            rows.append(blob_row(digest, content, frame, offset))
            offset += len(frame)

        self._record_locations(rows, [name] * len(rows))

    def _read_frames(
        self, pack: str, locations: Sequence[BlobLocation]
    ) -> Iterator[tuple[BlobLocation, bytes]]:
        if not pack:
            for location in locations:
                name = loose_object_name(location.digest)
                yield location, self._download(name, location)
            return

        for run in _iter_request_runs(locations):
            first = run[0].offset
            last = max(location.offset + location.length for location in run) - 1
            content = self._download(pack, run[0], f"bytes={first}-{last}")

            for location in run:
                start = location.offset - first
                yield location, content[start : start + location.length]

    def _overwrite_frames(self, pack: str, locations: Sequence[BlobLocation]) -> None:
        # an object cannot be changed in part: it is replaced as a whole
        content = bytearray(self._download(pack, locations[0]))
        for location in locations:
            end = location.offset + location.length
            content[location.offset : end] = bytes(location.length)
        self._upload(pack, bytes(content))

    def _iter_objects_before(self, before: float) -> Iterator[str]:
        prefix = self._bucket.prefix
        with translate_s3_errors(self._bucket):
            paginator = self._client.get_paginator("list_objects_v2")
            pages = paginator.paginate(Bucket=self._bucket.name, Prefix=prefix)
            for page in pages:
                for entry in page.get("Contents", ()):
                    name = entry["Key"].removeprefix(prefix)
                    # the bucket may hold what others keep there
                    is_ours = name.startswith((LOOSE_PREFIX, _PACK_PREFIX))
                    if is_ours and entry["LastModified"].timestamp() < before:
                        yield name

    def _delete_object(self, name: str) -> None:
        with translate_s3_errors(self._bucket):
            self._client.delete_object(Bucket=self._bucket.name, Key=self._key(name))

    def _upload(self, name: str, content: bytes) -> None:
        with translate_s3_errors(self._bucket):
            self._client.upload_fileobj(
                io.BytesIO(content),
                self._bucket.name,
                self._key(name),
                ExtraArgs=self._bucket.upload_arguments,
                Config=self._transfer,
            )

    def _download(
        self, name: str, location: BlobLocation, byte_range: str = ""
    ) -> bytes:
        request = {"Bucket": self._bucket.name, "Key": self._key(name)}
        if byte_range:
            request["Range"] = byte_range

        try:
            with translate_s3_errors(self._bucket):
                response = self._client.get_object(**request)
                return bytes(response["Body"].read())
        except KeyError as error:
            raise corrupt_blob_error(
                f"Blob {location.digest}", f"{name} is not in the bucket"
            ) from error

    def _key(self, name: str) -> str:
        return self._bucket.prefix + name


def _iter_request_runs(
    locations: Sequence[BlobLocation],
) -> Iterator[list[BlobLocation]]:
    """Yield runs of a pack's members that are close enough for one request."""
    run: list[BlobLocation] = []
    for location in sorted(locations, key=lambda location: int(location.offset)):
        if run and location.offset - _end_of(run[-1]) > _MAX_GAP_BYTES:
            yield run
            run = []
        run.append(location)

    yield run


def _end_of(location: BlobLocation) -> int:
    return int(location.offset + location.length)
