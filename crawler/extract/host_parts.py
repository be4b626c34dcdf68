"""What a class declares for the host alone: device code cannot reach it, and it drags a project's host side along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.extract.conditions import whole_branches
from crawler.extract.declarations import FUNCTIONS, TYPES, Declaration, extent
from crawler.extract.source import SourceText

_ON_DEVICE: Final = {CursorKind.CUDADEVICE_ATTR, CursorKind.CUDAGLOBAL_ATTR}
_LIFE: Final = {CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}
_PURE: Final = frozenset({"constexpr", "consteval"})
_KEPT: Final = frozenset({"virtual", "override", "final", "explicit", "operator", "friend"})
Cut = tuple[int, int, str]
"""(start, end, what stands there instead)."""


def host_parts(declaration: Declaration, source: SourceText) -> tuple[Cut, ...]:
    """Return what a unit may leave out of a class or of a host function, in order.

    Constructors, destructors and virtual functions lose their bodies only: that they are there decides how the class
    is laid out and passed.
    """
    if declaration.kind == "function" and not declaration.on_device:
        body = _body(source, source.position(declaration.start), source.position(declaration.end))
        whole = whole_branches(source, body, declaration.end) == body
        return ((body, declaration.end, ";"),) if body and whole else ()
    if declaration.cursor.kind not in TYPES or "(" not in source.raw[declaration.start : declaration.end]:
        return ()
    found = sorted(_cuts(declaration.cursor, source))
    if not found:
        return ()
    left = _words_left(declaration, source, [cut for cut, _ in found])
    return tuple(cut if cut[2] or name not in left else _declared(cut, source) for cut, name in found)


def _words_left(declaration: Declaration, source: SourceText, cuts: Sequence[Cut]) -> set[str]:
    """Return the words of a class outside of its cuts: a constant function may call what is for the host alone."""
    words: set[str] = set()
    start = declaration.start
    for cut, behind, _ in cuts:
        words |= source.words(start, cut)
        start = behind
    return words | source.words(start, declaration.end)


def _declared(cut: Cut, source: SourceText) -> Cut:
    """Return the cut that leaves a function its declaration."""
    start, end, _ = cut
    body = _body(source, source.position(start), source.position(end))
    return (body, end, ";") if body else (start, start, "")


def _cuts(scope: Any, source: SourceText) -> Iterator[tuple[Cut, str]]:
    """Yield what is left out, each with the name of its function."""
    for cursor in scope.get_children():
        if cursor.kind in TYPES:
            yield from _cuts(cursor, source)
        elif cursor.kind in FUNCTIONS and (cut := _cut(cursor, scope, source)):
            yield cut, str(cursor.spelling)


def _cut(cursor: Any, scope: Any, source: SourceText) -> Cut | None:
    attributes = {child.kind for child in cursor.get_children() if child.kind.is_attribute()}
    if attributes & _ON_DEVICE:
        return None
    start, end = extent(cursor, source)
    first, behind = source.position(start), source.position(end)
    body = _body(source, first, behind)
    head = {lexeme.text for lexeme in source.lexemes[first : source.position(body) if body else behind]}
    text = source.raw[start:end]
    if head & _PURE or cursor.spelling not in text or text.count("#if") != text.count("#endif"):
        return None
    keeps = cursor.kind in _LIFE or bool(head & _KEPT) or str(cursor.spelling).split("<")[0] == scope.spelling
    if not keeps and text.endswith((";", "}")):
        return start, end, ""
    if not body or not text.endswith("}") or ("auto" in head and "->" not in head):
        return None
    return body, end, ";"


def _body(source: SourceText, first: int, behind: int) -> int:
    """Return the offset of a function's `:` or `{`; 0 where it has no body."""
    at, called = first, False
    while at < behind:
        lexeme = source.lexemes[at]
        if called and lexeme.text in ("{", ":"):
            return lexeme.offset
        if lexeme.text in ("(", "["):
            called = called or lexeme.text == "("
            at = source.closings.get(at, behind)
        at += 1
    return 0
