"""Frames: the compressed form in which blobs are stored, and the names of stored objects."""

from __future__ import annotations

import hashlib
from typing import Final

import zstandard

from storage.errors import CorruptBlob

LOOSE_PREFIX: Final = "loose/"
_COMPRESSION_LEVEL: Final = 3
_UNDECLARED: Final = -1
"""What zstandard answers for a frame that does not say how long its content is."""


def loose_object_name(digest: str) -> str:
    """Return the name of the object that holds a loose blob."""
    return f"{LOOSE_PREFIX}{digest[:2]}/{digest[2:]}"


def loose_object_digest(name: str) -> str:
    """Return the digest of the loose blob that the object `name` holds."""
    return name.removeprefix(LOOSE_PREFIX).replace("/", "")


def compress_blob(content: bytes) -> bytes:
    """Return the frame of `content`."""
    return zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(content)


def decompress_frame(frame: bytes, digest: str, size: int) -> bytes:
    """Return the content of a frame; raises `CorruptBlob` where it does not match `digest`.

    `size` is the length of the content in bytes.
    """
    subject = f"Blob {digest}"
    try:
        # memory is taken for what a frame declares, which may be anything once it has changed
        declared_size = zstandard.frame_content_size(frame)
        if declared_size not in (_UNDECLARED, size):
            raise corrupt_blob_error(subject, "its size has changed")

        content = zstandard.ZstdDecompressor().decompress(frame, max_output_size=size)
    except zstandard.ZstdError as error:
        raise corrupt_blob_error(subject, str(error)) from error

    if hashlib.sha256(content).hexdigest() != digest:
        raise corrupt_blob_error(subject, "its digest has changed")

    return content


def corrupt_blob_error(subject: str, reason: str) -> CorruptBlob:
    """Return the error for bytes that cannot be read."""
    return CorruptBlob(
        f"{subject} cannot be read: {reason};"
        " restore it from a copy, or crawl its source again."
    )
