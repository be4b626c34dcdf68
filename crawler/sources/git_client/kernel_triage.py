"""Judge from file names whether a tree may hold kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SURE: Final = re.compile(
    r"(?:.*/)?[^/]+\.(?:cu|cuh|hip|hiph|cuda|cu\.\w+|hip\.\w+|cuh\.\w+)", re.IGNORECASE
)
_SOURCE: Final = re.compile(
    r".*\.(?:h|hh|hpp|hxx|h\+\+|c|cc|cpp|cxx|inl|inc|ipp|tpp|impl|py|pyx|pxd|jl|rs|in)",
    re.IGNORECASE,
)
_HINT: Final = re.compile(
    r"cuda|gpu|rocm|nvrtc|kernel|device|(?<![a-z])hip(?![a-z])|raw_?module",
    re.IGNORECASE,
)
_KERNEL: Final = re.compile(rb"\b__global__\b")
_MOST: Final = 2_000
"""Files that are looked at for want of a sure one."""


def has_device_source(paths: Iterable[str]) -> bool:
    """Tell whether some file is CUDA or HIP by its suffix."""
    return any(_SURE.fullmatch(path) for path in paths)


def select_candidate_files(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the sources whose path hints at a device, at most 2,000, shallow ones first."""
    hinted = (path for path in paths if _SOURCE.fullmatch(path) and _HINT.search(path))
    return tuple(sorted(hinted, key=lambda path: (path.count("/"), path))[:_MOST])


def has_kernel_keyword(content: bytes) -> bool:
    """Tell whether a text holds the word that every kernel has."""
    return _KERNEL.search(content) is not None
