"""Read stored blobs back, all or a sample, and check their digests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, select

from storage.database.engine import read_transaction
from storage.errors import CorruptBlob
from storage.interfaces import BlobStore
from storage.tables import BLOB

_BLOBS_PER_READ: Final = 200
_PREFIX_DIGITS: Final = 8
_DIGEST_DIGITS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationResult:
    """What was read back."""

    blobs: int
    corrupt: tuple[tuple[str, str], ...]
    """(digest, what is wrong) of each that cannot be read or has changed."""


def verify_blobs(
    engine: Engine, blobs: BlobStore, share: float = 1.0
) -> VerificationResult:
    """Read back the `share` of all blobs whose digests come first.

    That is a fair sample: digests are as good as random.
    """
    count = 0
    corrupt: list[tuple[str, str]] = []

    for digests in _iter_digests(engine, _last_digest_of(share)):
        count += len(digests)
        corrupt += _find_corrupt(blobs, digests)

    return VerificationResult(blobs=count, corrupt=tuple(corrupt))


def _last_digest_of(share: float) -> str:
    """Return the digest up to which `share` of all possible digests lie."""
    prefixes = 16**_PREFIX_DIGITS
    prefix = min(round(share * prefixes), prefixes - 1)
    return f"{prefix:08x}" + "f" * (_DIGEST_DIGITS - _PREFIX_DIGITS)


def _iter_digests(engine: Engine, last: str) -> Iterator[list[str]]:
    """Yield digests up to `last` in order, a transaction for each page."""
    after = ""
    while True:
        statement = (
            select(BLOB.c.digest)
            .where(BLOB.c.digest > after, BLOB.c.digest <= last)
            .order_by(BLOB.c.digest)
            .limit(_BLOBS_PER_READ)
        )

        with read_transaction(engine) as connection:
            digests = list(connection.scalars(statement))

        if digests:
            yield digests
        if len(digests) < _BLOBS_PER_READ:
            return

        after = digests[-1]


def _find_corrupt(blobs: BlobStore, digests: list[str]) -> Iterator[tuple[str, str]]:
    try:
        blobs.get_many(digests)
    except CorruptBlob:
        # the error names one of them; reading each alone finds all
        for digest in digests:
            try:
                blobs.get(digest)
            except CorruptBlob as error:
                yield digest, str(error)
