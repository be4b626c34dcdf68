"""The bytes of a suite, under their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

EMPTY: Mapping[str, bytes] = MappingProxyType({})


class Blobs:
    """Bytes that are kept once, whoever asks for them."""

    def __init__(self, kept: Mapping[str, bytes] = EMPTY) -> None:
        self._kept = dict(kept)

    def put(self, content: bytes) -> str:
        """Keep `content` and return its digest."""
        digest = hashlib.sha256(content).hexdigest()
        self._kept.setdefault(digest, content)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; raises `KeyError` where they are not here."""
        return self._kept[digest]

    @property
    def all(self) -> Mapping[str, bytes]:
        """All that is kept, by digest."""
        return MappingProxyType(self._kept)
