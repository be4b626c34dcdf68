"""Default arguments that a template's definition adds to an earlier declaration: nvcc takes them, clang does not.

In a unit they stand where the template is declared first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clang.cindex import CursorKind

from crawler.extract.declarations import Declaration
from crawler.extract.host_parts import Cut
from crawler.extract.source import Sources, SourceText


def late_defaults(declarations: Sequence[Declaration], sources: Sources) -> dict[int, tuple[Cut, ...]]:
    """Return what moves: by the identity of a declaration, what is left out of it, or put in."""
    moved: dict[int, tuple[Cut, ...]] = {}
    templates = [one for one in declarations if one.cursor.kind is CursorKind.FUNCTION_TEMPLATE]
    declared = [one for one in templates if not one.is_definition]
    names = {name for one in declared for name in one.names}
    for later in templates:
        if names.isdisjoint(later.names) or not later.is_definition:
            continue
        first = next((one for one in declared if one.cursor == later.cursor.canonical), None)
        if first is not None:
            out, into = _moved(later, first, sources)
            if out:
                moved[id(later)] = out
                moved[id(first)] = into
    return moved


def _moved(later: Declaration, first: Declaration, sources: Sources) -> tuple[tuple[Cut, ...], tuple[Cut, ...]]:
    source, other = sources[later.path], sources[first.path]
    pairs = zip(_parameters(later.cursor), _parameters(first.cursor), strict=False)
    out, into = [], []
    for here, there in pairs:
        at, end = _default(here, source), here.extent.end.offset
        if at and not _default(there, other):
            out.append((at, end, ""))
            into.append((there.extent.end.offset, there.extent.end.offset, " " + source.text(at, end)))
    return tuple(out), tuple(into)


def _parameters(function: Any) -> Iterator[Any]:
    return (child for child in function.get_children() if child.kind is CursorKind.PARM_DECL)


def _default(parameter: Any, source: SourceText) -> int:
    """Return the offset of a parameter's `=`; 0 where it has none."""
    first, last = source.position(parameter.extent.start.offset), source.position(parameter.extent.end.offset)
    return next((lexeme.offset for lexeme in source.lexemes[first:last] if lexeme.text == "="), 0)
