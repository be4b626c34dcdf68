"""Read stored blobs back, all or a sample, and check their digests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, select

from storage.blobs.indexed_blobs import BLOB
from storage.database.engine import read_transaction
from storage.errors import CorruptBlob
from storage.interfaces import BlobStore

_PAGE = 200
_SPACE = 16**8


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationResult:
    """What was read back."""

    blobs: int
    corrupt: tuple[tuple[str, str], ...]
    """Digest and what is wrong, of each that cannot be read or has changed."""


def verify_blobs(
    engine: Engine, blobs: BlobStore, share: float = 1.0
) -> VerificationResult:
    """Read back the `share` of all blobs whose digests come first, which is a sample: digests
    are as good as random.
    """
    count, corrupt = 0, list[tuple[str, str]]()
    for digests in _pages(
        engine, f"{min(round(share * _SPACE), _SPACE - 1):08x}" + "f" * 56
    ):
        count += len(digests)
        corrupt += _corrupt(blobs, digests)
    return VerificationResult(blobs=count, corrupt=tuple(corrupt))


def _pages(engine: Engine, last: str) -> Iterator[list[str]]:
    after = ""
    while True:
        page = (
            select(BLOB.c.digest)
            .where(BLOB.c.digest > after, BLOB.c.digest <= last)
            .order_by(BLOB.c.digest)
        )
        with read_transaction(engine) as connection:
            digests = list(connection.scalars(page.limit(_PAGE)))
        if digests:
            yield digests
        if len(digests) < _PAGE:
            return
        after = digests[-1]


def _corrupt(blobs: BlobStore, digests: list[str]) -> Iterator[tuple[str, str]]:
    try:
        blobs.get_many(digests)
    except CorruptBlob:
        # one of them: which is told one by one
        for digest in digests:
            try:
                blobs.get(digest)
            except CorruptBlob as error:
                yield digest, str(error)
