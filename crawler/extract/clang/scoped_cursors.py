"""List what a unit's files hold at namespace level, each with the scopes round it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.lexer import GAPS
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_queries import CursorLocations, list_child_cursors

_SCOPE_KINDS: Final = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
}
_SCOPE_WORDS: Final = ("namespace", "inline", "extern")
"""What the text of a scope begins with, unless a macro opens it."""
# libclang does not tell of which language a linkage is
_CPP_LINKAGE: Final = re.compile(rf'extern{GAPS}"C\+\+"')


@dataclass(frozen=True, slots=True)
class ScopedCursor:
    """A cursor at namespace level, and the scopes round it."""

    cursor: Cursor
    path: str
    scope_openings: tuple[str, ...]
    namespaces: tuple[str, ...]


def collect_scoped_cursors(
    clang_unit: ClangUnit, locations: CursorLocations, sources: SourceFiles
) -> list[ScopedCursor]:
    """Return what the project's files hold at namespace level.

    Its order is that in which the compiler saw it.
    """
    collector = _Collector(locations, sources)
    collector.visit_scope(clang_unit.cursor, (), ())
    return collector.scoped_cursors


def collect_active_macros(
    scoped_cursors: Iterable[ScopedCursor], locations: CursorLocations
) -> frozenset[tuple[str, int]]:
    """Return (path, offset of its name) of each macro of the project that the preprocessor took."""
    active_macros: set[tuple[str, int]] = set()
    for scoped_cursor in scoped_cursors:
        if scoped_cursor.cursor.kind is not CursorKind.MACRO_DEFINITION:
            continue

        path, start, _ = locations.find_extent(scoped_cursor.cursor)
        if path is not None:
            active_macros.add((path, start))

    return frozenset(active_macros)


def is_variable_template(cursor: Cursor) -> bool:
    """Tell whether what libclang has no kind for is a variable template.

    A linkage specification, the other of its kind, has no name.
    """
    return cursor.kind is CursorKind.UNEXPOSED_DECL and bool(cursor.spelling)


@dataclass(frozen=True, slots=True)
class _MacroScope:
    """A macro that opens and closes a namespace: what it holds needs no other opening."""

    start: int
    outer_openings: tuple[str, ...]
    """The scopes round the macro's use."""

    def holds(self, cursor: Cursor) -> bool:
        """Tell whether the macro makes a declaration: all that it makes begins at its use."""
        return cursor.extent.start.offset == self.start


class _Collector:
    def __init__(self, locations: CursorLocations, sources: SourceFiles) -> None:
        self.scoped_cursors: list[ScopedCursor] = []
        self._locations = locations
        self._sources = sources

    def visit_scope(
        self,
        scope: Cursor,
        scope_openings: tuple[str, ...],
        namespaces: tuple[str, ...],
        macro_scope: _MacroScope | None = None,
    ) -> None:
        """Collect what stands in a scope; `macro_scope` is the macro that makes it, if one does."""
        for cursor in list_child_cursors(scope):
            path = self._locations.find_path(cursor)
            if path is None:
                continue

            # what the macro itself declares stands in scopes that its use brings along
            openings = scope_openings
            if macro_scope is not None and macro_scope.holds(cursor):
                openings = macro_scope.outer_openings

            # files without scopes are not read
            if cursor.kind in _SCOPE_KINDS and not is_variable_template(cursor):
                self._visit_inner_scope(
                    cursor, self._sources[path], openings, namespaces
                )
                continue

            scoped_cursor = ScopedCursor(cursor, path, openings, namespaces)
            self.scoped_cursors.append(scoped_cursor)

    def _visit_inner_scope(
        self,
        cursor: Cursor,
        source: SourceText,
        openings: tuple[str, ...],
        namespaces: tuple[str, ...],
    ) -> None:
        opening, name = _describe_scope(cursor, source)
        inner_openings = (*openings, opening) if opening else openings
        inner_namespaces = (*namespaces, name) if name else namespaces
        macro_scope = _find_macro_scope(cursor, source, openings)

        self.visit_scope(cursor, inner_openings, inner_namespaces, macro_scope)


def _find_macro_scope(
    scope: Cursor, source: SourceText, outer_openings: tuple[str, ...]
) -> _MacroScope | None:
    """Return the macro whose use is all of a scope's text, or `None`.

    E.g. `REGISTER(name)` may expand to a namespace with a function in it.
    """
    extent = scope.extent
    start = extent.start.offset
    end = extent.end.offset
    if source.raw.startswith(_SCOPE_WORDS, start):
        return None

    # only where a macro's use may stand is a whole file cut into tokens: `::` begins the inner
    # scope of `namespace a::b {`
    if not source.raw[start : start + 1].isidentifier():
        return None

    # a macro without arguments ends with its name
    name_index = source.lexeme_index(start)
    last_index = source.closing_brackets.get(name_index + 1, name_index)
    following_index = source.lexeme_index(end)

    if following_index != last_index + 1:
        return None
    return _MacroScope(start, outer_openings)


def _describe_scope(cursor: Cursor, source: SourceText) -> tuple[str, str]:
    """Return how a scope is opened in a unit, and the namespace's name.

    An anonymous namespace is not opened at all: both texts are empty.
    """
    if cursor.kind is not CursorKind.NAMESPACE:
        # as a header opens that has templates and may be included within `extern "C"`
        is_cpp = _CPP_LINKAGE.match(source.raw, cursor.extent.start.offset)
        return 'extern "C++" {' if is_cpp else 'extern "C" {', ""

    name = cursor.spelling
    if not name or "(anonymous" in name:
        return "", ""

    start = cursor.extent.start.offset
    is_inline = source.raw.startswith("inline", start)
    keyword = "inline namespace" if is_inline else "namespace"

    return f"{keyword} {name} {{", name
