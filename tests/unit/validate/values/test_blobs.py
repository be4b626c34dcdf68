"""Contents are kept once, by their digests."""

from __future__ import annotations

import hashlib

import pytest

from crawler.validate.values.blobs import Blobs


def test_a_content_is_found_by_its_sha256() -> None:
    blobs = Blobs()
    digest = blobs.put(b"gold")
    assert digest == hashlib.sha256(b"gold").hexdigest()
    assert blobs.get(digest) == b"gold"
    assert dict(blobs.by_digest) == {digest: b"gold"}


def test_contents_that_are_the_same_are_kept_once() -> None:
    blobs = Blobs()
    assert blobs.put(b"x") == blobs.put(b"x")
    assert len(blobs.by_digest) == 1


def test_what_is_not_kept_is_missed() -> None:
    with pytest.raises(KeyError):
        Blobs().get("0" * 64)


def test_what_was_given_is_not_changed_by_what_is_put() -> None:
    contents = {"a": b"1"}
    Blobs(contents).put(b"2")
    assert contents == {"a": b"1"}
