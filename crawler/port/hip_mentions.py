"""Tell whether a source already uses HIP."""

from __future__ import annotations

from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource

_NAME_PREFIXES: Final = ("hip", "__hip", "HIP_")
_HEADER_PREFIX: Final = "hip"


def mentions_hip(source: MaskedSource) -> bool:
    """Tell whether any name or included header of a text is HIP's own."""
    if any(word.startswith(_NAME_PREFIXES) for word in source.words):
        return True

    return any(
        source.text.startswith(_HEADER_PREFIX, start + 1)
        for start, _ in source.header_ranges
    )
