"""Host code that a unit keeps: what makes the values which the host passes to a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler.cpp.edits import Edit
from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.declarations import Declaration


@dataclass(frozen=True, slots=True)
class KeptHostCode:
    """Words of what the host calls to make what it passes to a kernel: classes whose
    constructors stay, functions.
    """

    kept_names: frozenset[str] = frozenset()

    def is_kept(self, name: str, scope: str, *, is_declared: bool) -> bool:
        """Tell whether a function of the class `scope` stays.

        Of a class that is made, so does every function that would else be declared only.
        """
        plain_name = name.split("<")[0].lstrip("~")
        if plain_name in self.kept_names:
            return True

        return is_declared and scope in self.kept_names


def find_kept_words(
    declaration: Declaration,
    source: SourceText,
    host_edits: Sequence[Edit],
    kept_code: KeptHostCode,
) -> frozenset[str]:
    """Return the words of what is kept in a declaration: of functions, of classes with their
    members and bases.
    """
    if declaration.kind == "function":
        if kept_code.kept_names.isdisjoint(declaration.names):
            return frozenset()
        return source.names_between(declaration.start, declaration.end)

    if declaration.cursor.kind not in TYPE_KINDS:
        return frozenset()

    words: set[str] = set()
    for start, end in _iter_kept_ranges(declaration.cursor, kept_code):
        words |= collect_words_outside(
            source,
            start,
            end,
            host_edits,
        )

    return frozenset(words)


def _iter_kept_ranges(
    scope: Cursor, kept_code: KeptHostCode
) -> Iterator[tuple[int, int]]:
    if scope.spelling in kept_code.kept_names:
        yield _range_of(scope)
        return

    for cursor in scope.get_children():
        if cursor.kind in TYPE_KINDS:
            yield from _iter_kept_ranges(cursor, kept_code)
        elif cursor.kind in FUNCTION_KINDS and cursor.spelling in kept_code.kept_names:
            yield _range_of(cursor)


def _range_of(cursor: Cursor) -> tuple[int, int]:
    return cursor.extent.start.offset, cursor.extent.end.offset


def collect_words_outside(
    source: SourceText, start: int, end: int, edits: Sequence[Edit]
) -> frozenset[str]:
    """Return the words of a range outside of its edits."""
    words: frozenset[str] = frozenset()
    for edit_start, edit_end, _ in (*edits, (end, end, "")):
        # edits of the other classes in a declaration lie outside
        if start <= edit_start <= end:
            words |= source.names_between(start, edit_start)
            start = max(start, edit_end)

    return words
