"""What declarations and the text of files tell of namespaces: their names and other names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.lexer import GAPS, LINE_GAPS
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.declarations import Declaration

# libclang does not list the aliases and macros of branches that were not taken
_NAMESPACE_ALIAS: Final = re.compile(
    r"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?([\w:]+)\s*;"
)
# one directive at a time, of every file of a unit: to tokenize all would cost more than the
# aliases are worth
_NAME_MACRO: Final = re.compile(
    rf"\#{LINE_GAPS}define[ \t]+(\w+)[ \t]+([\w:]+){GAPS}\Z"
)
_INLINE_OPENING: Final = "inline namespace "


def collect_inline_names(declarations: Iterable[Declaration]) -> set[str]:
    """Return the names of the inline namespaces that declarations stand in."""
    openings = {
        opening
        for declaration in declarations
        for opening in declaration.scope_openings
    }
    return {
        opening.split()[2]
        for opening in openings
        if opening.startswith(_INLINE_OPENING)
    }


@cache_per_source
def find_other_names(source: SourceText) -> tuple[tuple[str, str], ...]:
    """Return (name, what it may mean) of macros and of aliases of namespaces."""
    names: list[tuple[str, str]] = []
    for start, end in find_directive_ranges(source):
        macro = _NAME_MACRO.match(source.raw[start:end])
        if macro:
            names.append((macro[1], macro[2]))

    if "namespace" in source.raw:
        names += _NAMESPACE_ALIAS.findall(source.raw)

    return tuple(names)


def read_semantic_namespaces(cursor: Cursor) -> tuple[str, ...]:
    """Return the namespaces that a declaration belongs to.

    A definition outside of them is written with their names.
    """
    innermost_first: list[str] = []
    parent = cursor.semantic_parent

    while parent is not None and parent.kind is not CursorKind.TRANSLATION_UNIT:
        name = parent.spelling
        is_namespace = parent.kind is CursorKind.NAMESPACE

        if is_namespace and name and "(anonymous" not in name:
            innermost_first.append(name)

        parent = parent.semantic_parent

    return tuple(reversed(innermost_first))
