"""Move default arguments from a template definition to its first declaration, as clang
requires.

In a unit they stand where the template is declared first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.extract.clang.declarations import Declaration


def collect_default_argument_edits(
    declarations: Sequence[Declaration], sources: SourceFiles
) -> dict[int, tuple[Edit, ...]]:
    """Return what moves: by the identity of a declaration, what is left out of it, or put in."""
    templates = [
        one for one in declarations if one.cursor.kind is CursorKind.FUNCTION_TEMPLATE
    ]
    declared = {
        name for one in templates if not one.is_definition for name in one.names
    }
    first = {
        one.cursor.hash: one for one in templates if not declared.isdisjoint(one.names)
    }
    moved: dict[int, tuple[Edit, ...]] = {}
    for later in templates:
        if declared.isdisjoint(later.names) or not _may_add(later):
            continue
        earlier = first.get(later.cursor.canonical.hash, later)
        out, into = (
            _moved(later, earlier, sources) if earlier is not later else ((), ())
        )
        if out:
            moved[id(later)], moved[id(earlier)] = out, into
    return moved


def _may_add(later: Declaration) -> bool:
    """Tell whether a definition's parameters may have defaults."""
    return (
        later.is_definition
        and "=" in later.raw_text.partition("(")[2].partition("{")[0]
    )


def _moved(
    later: Declaration, first: Declaration, sources: SourceFiles
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    source, other = sources[later.path], sources[first.path]
    pairs = zip(_parameters(later.cursor), _parameters(first.cursor), strict=False)
    out, into = [], []
    for here, there in pairs:
        at, end = _default(here, source), here.extent.end.offset
        if at and not _default(there, other):
            out.append((at, end, ""))
            into.append(
                (
                    there.extent.end.offset,
                    there.extent.end.offset,
                    " " + source.text_between(at, end),
                )
            )
    return tuple(out), tuple(into)


def _parameters(function: Any) -> Iterator[Any]:
    return (
        child for child in function.get_children() if child.kind is CursorKind.PARM_DECL
    )


def _default(parameter: Any, source: SourceText) -> int:
    """Return the offset of a parameter's `=`; 0 where it has none."""
    first, last = (
        source.lexeme_index(parameter.extent.start.offset),
        source.lexeme_index(parameter.extent.end.offset),
    )
    return next(
        (lexeme.offset for lexeme in source.lexemes[first:last] if lexeme.text == "="),
        0,
    )
