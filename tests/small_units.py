"""Units of one small kernel, for tests that compile them."""

from __future__ import annotations

import hashlib

from crawler.model import Dialect, KernelUnit


def make_small_unit(
    source: str, dialect: Dialect, kernel_name: str = "k"
) -> KernelUnit:
    """Return a unit of a plain kernel, known by the digest of its text."""
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name=kernel_name,
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )
