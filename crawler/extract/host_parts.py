"""What a class declares for the host alone: device code cannot reach it, and it drags a project's host side along."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.extract.conditions import whole_branches
from crawler.extract.declarations import FUNCTIONS, TYPES, Declaration, extent
from crawler.extract.source import SourceText, remembered

_ON_DEVICE: Final = {CursorKind.CUDADEVICE_ATTR, CursorKind.CUDAGLOBAL_ATTR}
_LIFE: Final = {CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}
_PURE: Final = frozenset({"constexpr", "consteval"})
_KEPT: Final = frozenset({"virtual", "override", "final", "explicit", "operator", "friend"})
_SPECIALISED: Final = re.compile(r"template\s*<\s*>")
_THROUGH: Final = re.compile(r"\b(\w++)<[^;(){}]{0,200}?>::(?:template )?(\w++)\s*\(")
Cut = tuple[int, int, str]
"""(start, end, what stands there instead)."""
_Named = tuple[Cut, str]
"""A cut with the name of its function."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words of what the host calls to make what it passes to a kernel: classes whose constructors stay, functions."""

    words: frozenset[str] = frozenset()

    def keeps(self, name: str, scope: str, *, is_declared: bool) -> bool:
        """Tell whether a function of a class stays: of a class that is made, all that the class cannot do without."""
        return name.split("<")[0].lstrip("~") in self.words or (is_declared and scope in self.words)


def host_parts(
    declaration: Declaration, source: SourceText, asked: frozenset[str] = frozenset(), wanted: Wanted | None = None
) -> tuple[Cut, ...]:
    """Return what a unit may leave out of a class or of a host function, in order.

    Constructors, destructors and virtual functions lose their bodies only: that they are there decides how the class
    is laid out and passed. What is `asked` for by `decltype` keeps the body that tells its type; what is `wanted`
    stays.
    """
    wanted = wanted or Wanted()
    if declaration.kind == "function" and not wanted.words.isdisjoint(declaration.names):
        return ()
    if declaration.kind == "function" and not declaration.on_device:
        body = _body(source, source.position(declaration.start), source.position(declaration.end))
        whole = whole_branches(source, body, declaration.end) == body
        whole_text = (declaration.start, declaration.end, "")
        tells = _is_deduced(whole_text, source) and not asked.isdisjoint(declaration.names)
        return ((body, declaration.end, ";"),) if body and whole and not tells else ()
    if declaration.cursor.kind not in TYPES or "(" not in source.raw[declaration.start : declaration.end]:
        return ()
    found = _but_deduced(sorted(_cuts(declaration.cursor, source, wanted)), source, asked)
    if not found:
        return ()
    left = _words_left(declaration, source, [cut for cut, _ in found]).union(asked, _through(declaration, source))
    return tuple(cut if cut[2] or name not in left else _declared(cut, source) for cut, name in found)


def _but_deduced(found: list[_Named], source: SourceText, asked: Collection[str]) -> list[_Named]:
    """Return the cuts without the functions whose bodies tell a type that is asked for."""
    return [one for one in found if one[1] not in asked or not _is_deduced(one[0], source)]


def _is_deduced(cut: Cut, source: SourceText) -> bool:
    """Tell of a function that is left out whether its body tells what it returns."""
    start, end, instead = cut
    body = _body(source, source.position(start), source.position(end))
    head = {lexeme.text for lexeme in source.cut(start, body)} if body and not instead else set()
    return "auto" in head and "->" not in head


def _words_left(declaration: Declaration, source: SourceText, cuts: Sequence[Cut]) -> set[str]:
    """Return the words of a class outside of its cuts: a constant function may call what is for the host alone."""
    words: set[str] = set()
    start = declaration.start
    for cut, behind, _ in cuts:
        words |= source.words(start, cut)
        start = behind
    return words | source.words(start, declaration.end)


def _through(declaration: Declaration, source: SourceText) -> set[str]:
    """Return the functions of a specialisation that are named through its template: what names them may stay."""
    if not _SPECIALISED.match(source.raw, declaration.start):
        return set()
    return {member for template, member in _qualified(source) if template in declaration.names}


@remembered
def _qualified(source: SourceText) -> frozenset[tuple[str, str]]:
    """Return each template and what is called of it: of `Parse<T>::text(…)` these are `Parse` and `text`."""
    return frozenset((found[1], found[2]) for found in _THROUGH.finditer(source.raw))


def _declared(cut: Cut, source: SourceText) -> Cut:
    """Return the cut that leaves a function its declaration."""
    start, end, _ = cut
    body = _body(source, source.position(start), source.position(end))
    return (body, end, ";") if body else (start, start, "")


def made_of(declaration: Declaration, source: SourceText, cuts: Sequence[Cut], wanted: Wanted) -> frozenset[str]:
    """Return the words of what is wanted in a declaration: of functions, of classes with their members and bases."""
    if declaration.kind == "function":
        named = not wanted.words.isdisjoint(declaration.names)
        return source.words(declaration.start, declaration.end) if named else frozenset()
    ranges = _wanted_ranges(declaration.cursor, wanted) if declaration.cursor.kind in TYPES else ()
    return frozenset().union(*(_words_but(source, start, end, cuts) for start, end in ranges))


def _wanted_ranges(scope: Any, wanted: Wanted) -> Iterator[tuple[int, int]]:
    if scope.spelling in wanted.words:
        yield scope.extent.start.offset, scope.extent.end.offset
        return
    for cursor in scope.get_children():
        if cursor.kind in TYPES:
            yield from _wanted_ranges(cursor, wanted)
        elif cursor.kind in FUNCTIONS and cursor.spelling in wanted.words:
            yield cursor.extent.start.offset, cursor.extent.end.offset


def _words_but(source: SourceText, start: int, end: int, cuts: Sequence[Cut]) -> frozenset[str]:
    words: frozenset[str] = frozenset()
    for cut, behind, _ in (*cuts, (end, end, "")):
        if start <= cut <= end:
            words |= source.words(start, cut)
            start = max(start, behind)
    return words


def _cuts(scope: Any, source: SourceText, wanted: Wanted) -> Iterator[_Named]:
    """Yield what is left out, each with the name of its function."""
    for cursor in scope.get_children():
        if cursor.kind in TYPES:
            yield from _cuts(cursor, source, wanted)
        elif cursor.kind in FUNCTIONS and (cut := _cut(cursor, scope, source)):
            name = str(cursor.spelling)
            if not wanted.keeps(name, str(scope.spelling), is_declared=cut[2] == ";"):
                yield cut, name


def _cut(cursor: Any, scope: Any, source: SourceText) -> Cut | None:
    attributes = {child.kind for child in cursor.get_children() if child.kind.is_attribute()}
    if attributes & _ON_DEVICE:
        return None
    start, end = extent(cursor, source)
    first, behind = source.position(start), source.position(end)
    body = _body(source, first, behind)
    head = {lexeme.text for lexeme in source.lexemes[first : source.position(body) if body else behind]}
    text = source.raw[start:end]
    is_pure = bool(head & _PURE) and CursorKind.CUDAHOST_ATTR not in attributes  # the attribute takes it from devices
    if is_pure or cursor.spelling not in text or text.count("#if") != text.count("#endif"):
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
