"""Frames hold their contents, and say so when they do not any more."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.blobs.frames import (
    compress_blob,
    decompress_frame,
    loose_object_digest,
    loose_object_name,
)
from storage.errors import CorruptBlob


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@given(content=st.binary(max_size=5000))
def test_a_frame_gives_its_content_back(content: bytes) -> None:
    frame = compress_blob(content)
    assert decompress_frame(frame, digest_of(content), len(content)) == content


@given(content=st.binary(min_size=1, max_size=500), flip=st.integers(0, 10_000))
def test_a_changed_frame_never_gives_another_content(content: bytes, flip: int) -> None:
    frame = bytearray(compress_blob(content))
    frame[flip % len(frame)] ^= 1 + flip % 255
    try:
        read = decompress_frame(bytes(frame), digest_of(content), len(content))
    except CorruptBlob:
        return
    assert read == content


def test_the_content_of_another_digest_is_refused() -> None:
    with pytest.raises(CorruptBlob, match="its digest has changed"):
        decompress_frame(compress_blob(b"this"), digest_of(b"that"), 4)


def test_the_name_of_a_loose_object_names_its_digest() -> None:
    digest = digest_of(b"content")
    name = loose_object_name(digest)
    assert name == f"loose/{digest[:2]}/{digest[2:]}"
    assert loose_object_digest(name) == digest
