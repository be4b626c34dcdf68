"""Errors that only storage raises."""

from __future__ import annotations

from crawler.errors import CrawlError, Misconfigured, Transient


class CorruptBlob(CrawlError):
    """Stored bytes are missing or no longer match the digest that names them."""

    code = "corrupt-blob"


class BadQuery(Misconfigured):
    """A query expression is invalid at `position` (from 0)."""

    code = "bad-query"

    def __init__(self, message: str, *, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class HomeReadOnly(Misconfigured):
    """The embedded database may not be written where it lies."""

    code = "read-only-home"


class StoreLocked(Transient):
    """Another process held the database for longer than a minute."""

    code = "store-locked"


class StoreUnavailable(Transient):
    """The database server, or the blob store, does not answer."""

    code = "store-away"
