"""In-memory blobs of a suite of cases, keyed by sha256."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

NO_BLOBS: Mapping[str, bytes] = MappingProxyType({})


class Blobs:
    """Bytes that are kept once, whoever asks for them."""

    def __init__(self, contents: Mapping[str, bytes] = NO_BLOBS) -> None:
        self._contents = dict(contents)

    def put(self, content: bytes) -> str:
        """Keep `content` and return its digest."""
        digest = hashlib.sha256(content).hexdigest()
        self._contents.setdefault(digest, content)

        return digest

    def get(self, digest: str) -> bytes:
        """Return the bytes of a digest; raises `KeyError` where they are not here."""
        return self._contents[digest]

    @property
    def by_digest(self) -> Mapping[str, bytes]:
        """All that is kept, by digest."""
        return MappingProxyType(self._contents)
