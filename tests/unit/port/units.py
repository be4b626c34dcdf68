"""Units of nothing but a text, for tests of what ports make of it."""

from __future__ import annotations

from crawler.model import Dialect, KernelUnit


def make_unit(source: str) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest="",
        token_digest="",
    )
