"""Names, paths, ranges and descendants of cursors, read through libclang's C interface for speed.

A unit that includes a library of templates has some hundred thousand cursors, and creating a
Python object for each costs more than libclang's answer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from clang import cindex

from crawler.extract.clang.cursor import Cursor, SourceLocation
from crawler.extract.clang.parse import path_in_checkout

# what a visitor answers libclang: `enum CXChildVisitResult`
_BREAK: Final = 0
_CONTINUE: Final = 1
_RECURSE: Final = 2


@dataclass(slots=True)
class NodeBudget:
    """The number of nodes that visits may still look at."""

    remaining: int


def list_child_cursors(cursor: Cursor) -> list[Cursor]:
    """Return the cursors directly below `cursor`."""
    children: list[Cursor] = []
    cindex.conf.lib.clang_visitChildren(cursor, _child_collector(), children)

    for child in children:
        child._tu = cursor._tu

    return children


@cache
def _child_collector() -> Callable[..., int]:
    def visit(child: Cursor, _parent: Cursor, children: list[Cursor]) -> int:
        children.append(child)
        return _CONTINUE

    visitor: Callable[..., int] = cindex.callbacks["cursor_visit"](visit)
    return visitor


def collect_descendants(
    scope: Cursor, kind_numbers: Collection[int], budget: NodeBudget
) -> list[Cursor]:
    """Return the cursors of some kinds anywhere below `scope`, as far as the budget lasts.

    `kind_numbers` are values of `CursorKind`: reading the number of a node's kind spares a look-up
    for each of the many thousand nodes of a body.
    """
    descendants: list[Cursor] = []
    unit = scope._tu

    def visit(child: Cursor, _parent: Cursor, _client_data: object) -> int:
        budget.remaining -= 1
        if child._kind_id in kind_numbers:
            child._tu = unit
            descendants.append(child)

        return _RECURSE if budget.remaining > 0 else _BREAK

    cindex.conf.lib.clang_visitChildren(
        scope, cindex.callbacks["cursor_visit"](visit), None
    )
    return descendants


def get_specialized_template(cursor: Cursor) -> Cursor | None:
    """Return the template that a specialisation was made from; `None` for anything else."""
    template: Cursor | None = cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
    return template


def get_included_file_name(directive: Cursor) -> str:
    """Return the file that an `#include` means; empty where there is none."""
    # the bindings assert that the file was found
    try:
        file = cindex.conf.lib.clang_getIncludedFile(directive)
    except AssertionError:
        return ""

    name: str = file.name
    return name


class CursorLocations:
    """The paths of one translation unit's cursors, relative to the project's root."""

    def __init__(self, root: Path, directory: str) -> None:
        self._root = root
        self._directory = directory
        # libclang's address of each file that was met, with its path in the checkout
        self._paths: dict[int | None, str | None] = {None: None}

        # one set of output arguments serves every call
        self._file = cindex.c_object_p()
        self._offset = ctypes.c_uint()
        self._file_address = ctypes.c_void_p.from_buffer(self._file)
        self._outputs = (
            ctypes.byref(self._file),
            None,
            None,
            ctypes.byref(self._offset),
        )

    def find_path(self, cursor: Cursor) -> str | None:
        """Return the file that a cursor's name stands in; `None` outside of the checkout.

        Where a macro makes the name, that is the file of the macro's use.
        """
        return self._resolve(cindex.conf.lib.clang_getCursorLocation(cursor))

    def find_extent(self, cursor: Cursor) -> tuple[str | None, int, int]:
        """Return the file, start and end of a cursor's text, or of the macro use that makes it."""
        library = cindex.conf.lib
        extent = library.clang_getCursorExtent(cursor)

        path = self._resolve(library.clang_getRangeStart(extent))
        start = self._offset.value
        self._resolve(library.clang_getRangeEnd(extent))
        end = self._offset.value

        return path, start, end

    def _resolve(self, location: SourceLocation) -> str | None:
        """Set `_offset` to that of a location, and return the path of its file."""
        cindex.conf.lib.clang_getInstantiationLocation(location, *self._outputs)
        address = self._file_address.value

        if address not in self._paths:
            file_name = cindex.File(self._file).name
            self._paths[address] = path_in_checkout(
                file_name, self._root, self._directory
            )

        return self._paths[address]


def get_template_argument_kind(specialisation: Cursor, index: int) -> object:
    """Return the kind of a template argument; `None` for a pack, a template or an expression."""
    try:
        return specialisation.get_template_argument_kind(index)
    except ValueError:
        return None


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
