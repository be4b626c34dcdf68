"""Leave out how many elements a dynamic array of shared memory has: nvcc accepts the number,
clang does not.
"""

from __future__ import annotations

from crawler.cpp.dynamic_arrays import find_dynamic_extents


def omit_extents_of_dynamic_arrays(text: str) -> str:
    """Return code in which no `extern __shared__` array has a first extent."""
    for start, end in reversed(find_dynamic_extents(text)):
        text = text[:start] + text[end:]

    return text
