"""Read the names of cursors, of which bodies have many thousands."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from clang import cindex

from crawler.extract.clang.cursor import Cursor


class _ClangString(ctypes.Structure):
    """libclang's `CXString`, without the bindings' conversion of each result."""

    _fields_ = (
        ("content", ctypes.c_void_p),
        ("flags", ctypes.c_uint),
    )


@cache
def _load_string_functions() -> tuple[Any, Any, Any]:
    # a second handle on the library: the first one's functions have the bindings' signatures
    library = ctypes.CDLL(cindex.conf.lib._name)
    library.clang_getCursorSpelling.argtypes = [cindex.Cursor]
    library.clang_getCursorSpelling.restype = _ClangString
    library.clang_getCString.argtypes = [_ClangString]
    library.clang_getCString.restype = ctypes.c_char_p
    library.clang_disposeString.argtypes = [_ClangString]

    return (
        library.clang_getCursorSpelling,
        library.clang_getCString,
        library.clang_disposeString,
    )


def cursor_name(cursor: Cursor) -> str:
    """Return a cursor's spelling, ten times faster than the bindings.

    Bodies refer to many thousand names.
    """
    get_spelling, get_content, dispose = _load_string_functions()
    spelling = get_spelling(cursor)
    name = get_content(spelling) or b""
    dispose(spelling)

    return str(name, "utf-8", "replace")
