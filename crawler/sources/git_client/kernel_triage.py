"""Judge from file names whether a tree may hold kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

# Also templates of device sources: `scan.cu.in`, `scan.hip.jinja`.
_DEVICE_SOURCE: Final = re.compile(
    r"(?:.*/)?[^/]+\.(?:cu|cuh|hip|hiph|cuda|cu\.\w+|hip\.\w+|cuh\.\w+)", re.IGNORECASE
)
# Sources that may hold kernels beside host code, or in strings.
_SOURCE: Final = re.compile(
    r".*\.(?:h|hh|hpp|hxx|h\+\+|c|cc|cpp|cxx|inl|inc|ipp|tpp|impl|py|pyx|pxd|jl|rs|in)",
    re.IGNORECASE,
)
_PROGRAM_INPUT: Final = re.compile(r"(?:.*/)?[^/.]+\.in", re.IGNORECASE)
_DEVICE_HINT: Final = re.compile(
    r"cuda|gpu|rocm|nvrtc|kernel|device|(?<![a-z])hip(?![a-z])|raw_?module",
    re.IGNORECASE,
)
_KERNEL_KEYWORD: Final = re.compile(rb"\b__global__\b")
_MAX_CANDIDATES: Final = 2_000


def has_device_source(paths: Iterable[str]) -> bool:
    """Tell whether some file is CUDA or HIP by its suffix."""
    return any(_DEVICE_SOURCE.fullmatch(path) for path in paths)


def may_hold_code(path: str) -> bool:
    """Tell whether a file is a source by its suffix: a kernel, or what one includes.

    A template of a source keeps its suffix, as `config.h.in`; `poses.in` is a program's input.
    """
    if _PROGRAM_INPUT.fullmatch(path):
        return False

    return any(pattern.fullmatch(path) for pattern in (_DEVICE_SOURCE, _SOURCE))


def select_candidate_files(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the sources whose path hints at a device, at most 2,000, shallow ones first."""
    candidates = []
    for path in paths:
        if _SOURCE.fullmatch(path) and _DEVICE_HINT.search(path):
            candidates.append(path)

    # Deep folders are more often tests and vendored code.
    candidates.sort(key=lambda path: (path.count("/"), path))

    return tuple(candidates[:_MAX_CANDIDATES])


def has_kernel_keyword(content: bytes) -> bool:
    """Tell whether a text holds `__global__`, which every kernel has."""
    return _KERNEL_KEYWORD.search(content) is not None
