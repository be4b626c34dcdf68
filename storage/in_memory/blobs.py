"""The blob store in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


class InMemoryBlobStore:
    """A `BlobStore` in a dictionary."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest."""
        digest = hashlib.sha256(content).hexdigest()
        self._contents[digest] = bytes(content)
        return digest

    def put_many(self, contents: Iterable[bytes]) -> tuple[str, ...]:
        """Store each of `contents` and return their digests in order."""
        digests: list[str] = []
        for content in contents:
            digests.append(self.put(content))

        return tuple(digests)

    def get(self, digest: str) -> bytes:
        """Return the content; raises `KeyError` if there is none."""
        return self._contents[digest]

    def get_many(self, digests: Sequence[str]) -> tuple[bytes, ...]:
        """Return the contents in the order of `digests`."""
        contents: list[bytes] = []
        for digest in digests:
            contents.append(self.get(digest))

        return tuple(contents)

    def has(self, digest: str) -> bool:
        """Return whether the content is there."""
        return digest in self._contents
