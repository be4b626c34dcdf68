"""Find the names that a project gives `__global__`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.operators.project_files import (
    HEADER_SUFFIXES,
    iter_project_files,
)
from crawler.extract.syntax.unit_text import find_kernel_markers

_GLOBAL: Final = b"__global__"
_MAX_HEADERS: Final = 20_000
_MAX_HEADER_BYTES: Final = 256 << 10
_MAX_TOKENIZED_HEADERS: Final = 100
"""Of those that name `__global__`; most of them define kernels."""


@cache
def find_project_markers(root: Path) -> frozenset[str]:
    """Return what marks a kernel in a tree: `__global__`, and macros of its headers, as far as
    they are not too many, such as `#define KERNEL __global__ static`.
    """
    markers = set(find_kernel_markers(()))
    header_count = 0
    tokenized_count = 0
    for path in iter_project_files(root):
        if not path.endswith(HEADER_SUFFIXES):
            continue

        header_count += 1
        if header_count > _MAX_HEADERS or tokenized_count == _MAX_TOKENIZED_HEADERS:
            break

        content = _read_header(root / path)
        if _GLOBAL not in content or b"define" not in content:
            continue

        tokenized_count += 1
        macros = find_macros(SourceText(path, content))
        markers |= find_kernel_markers(macros)

    return frozenset(markers)


def _read_header(file: Path) -> bytes:
    """Return a header's content; empty where it is none, or too large."""
    if file.is_symlink() or not file.is_file():
        return b""
    if file.stat().st_size > _MAX_HEADER_BYTES:
        return b""
    return file.read_bytes()
