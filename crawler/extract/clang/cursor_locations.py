"""Paths, ranges and children of cursors, read through the C interface for speed.

A unit of a library of templates has some hundred thousand cursors, and each object costs more
than libclang's answer.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, Final

from clang import cindex

from crawler.extract.clang.parse import path_in_checkout

_CONTINUE: Final = 1


def child_cursors(cursor: Any) -> list[Any]:
    """Return the cursors directly below one."""
    found: list[Any] = []
    cindex.conf.lib.clang_visitChildren(cursor, _collector(), found)
    for child in found:
        child._tu = cursor._tu
    return found


@cache
def _collector() -> Any:
    def visit(child: Any, _parent: Any, found: list[Any]) -> int:
        found.append(child)
        return _CONTINUE

    return cindex.callbacks["cursor_visit"](visit)


class CursorLocations:
    """The paths of one translation unit's cursors, relative to the project's root."""

    def __init__(self, root: Path, directory: str) -> None:
        self._root = root
        self._directory = directory
        self._paths: dict[int | None, str | None] = {None: None}
        self._file, self._offset = cindex.c_object_p(), ctypes.c_uint()
        self._address = ctypes.c_void_p.from_buffer(self._file)
        self._answers = (
            ctypes.byref(self._file),
            None,
            None,
            ctypes.byref(self._offset),
        )

    def path(self, cursor: Any) -> str | None:
        """Return the file that a cursor's name stands in, as the use of a macro where one makes
        it; none outside.
        """
        return self._place(cindex.conf.lib.clang_getCursorLocation(cursor))

    def extent(self, cursor: Any) -> tuple[str | None, int, int]:
        """Return the file and the range of a cursor, as the use of a macro where one makes it."""
        library = cindex.conf.lib
        whole = library.clang_getCursorExtent(cursor)
        path = self._place(library.clang_getRangeStart(whole))
        start = self._offset.value
        self._place(library.clang_getRangeEnd(whole))
        return path, start, self._offset.value

    def _place(self, location: Any) -> str | None:
        cindex.conf.lib.clang_getInstantiationLocation(location, *self._answers)
        key = self._address.value
        if key not in self._paths:
            self._paths[key] = path_in_checkout(
                cindex.File(self._file).name, self._root, self._directory
            )
        return self._paths[key]
