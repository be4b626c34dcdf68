"""Ranges of the project's files that the preprocessor left out."""

from __future__ import annotations

import ctypes
from pathlib import Path

from clang import cindex

from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.parse import file_location, path_in_checkout


class _SourceRangeList(ctypes.Structure):
    """libclang's `CXSourceRangeList`, which the bindings leave out."""

    _fields_ = (
        ("count", ctypes.c_uint),
        ("ranges", ctypes.POINTER(cindex.SourceRange)),
    )


def find_skipped_ranges(
    clang_unit: ClangUnit, root: Path, directory: str
) -> list[tuple[str, int, int]]:
    """Return (path, start, end) of what the preprocessor left out of the project's files."""
    library = cindex.conf.lib
    library.clang_getAllSkippedRanges.restype = ctypes.POINTER(_SourceRangeList)
    library.clang_getAllSkippedRanges.argtypes = [cindex.TranslationUnit]
    library.clang_disposeSourceRangeList.argtypes = [ctypes.POINTER(_SourceRangeList)]

    range_list = library.clang_getAllSkippedRanges(clang_unit)
    count = range_list.contents.count
    skipped_ranges: list[tuple[str, int, int]] = []

    for clang_range in range_list.contents.ranges[:count]:
        # both ends stand in one file: a conditional cannot leave it
        file_name, start = file_location(clang_range.start)
        _, end = file_location(clang_range.end)
        path = path_in_checkout(file_name, root, directory) if file_name else None

        if path is not None:
            skipped_ranges.append((path, start, end))

    library.clang_disposeSourceRangeList(range_list)
    return skipped_ranges
