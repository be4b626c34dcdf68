"""Find host-only members and bodies that a kernel unit leaves out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.cpp.preprocessor.dead_branches import extend_to_whole_conditionals
from crawler.cpp.source_text import SourceText, cache_per_source
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.declaration_extent import find_declaration_extent
from crawler.extract.clang.declarations import Declaration

_ON_DEVICE: Final = {CursorKind.CUDADEVICE_ATTR, CursorKind.CUDAGLOBAL_ATTR}
_LIFE: Final = {CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}
_PURE: Final = frozenset({"constexpr", "consteval"})
_KEPT: Final = frozenset(
    {"virtual", "override", "final", "explicit", "operator", "friend"}
)
_SPECIALISED: Final = re.compile(r"template\s*<\s*>")
_THROUGH: Final = re.compile(r"\b(\w++)<[^;(){}]{0,200}?>::(?:template )?(\w++)\s*\(")
_Named = tuple[Edit, str]
"""A cut with the name of its function."""


@dataclass(frozen=True, slots=True)
class KeptHostCode:
    """Words of what the host calls to make what it passes to a kernel: classes whose
    constructors stay, functions.
    """

    kept_names: frozenset[str] = frozenset()

    def is_kept(self, name: str, scope: str, *, is_declared: bool) -> bool:
        """Tell whether a function of a class stays: of a class that is made, all that the class
        cannot do without.
        """
        return name.split("<")[0].lstrip("~") in self.kept_names or (
            is_declared and scope in self.kept_names
        )


def find_host_edits(
    declaration: Declaration,
    source: SourceText,
    names_needing_bodies: frozenset[str] = frozenset(),
    kept_code: KeptHostCode | None = None,
) -> tuple[Edit, ...]:
    """Return what a unit may leave out of a class or of a host function, in order.

    Constructors, destructors and virtual functions lose their bodies only: that they are there
    decides how the class
    is laid out and passed. What is `names_needing_bodies` for by `decltype` keeps the body that
    tells its type; what is `kept_code`
    stays.
    """
    kept_code = kept_code or KeptHostCode()
    if declaration.kind == "function" and not kept_code.kept_names.isdisjoint(
        declaration.names
    ):
        return ()
    if declaration.kind == "function" and not declaration.is_usable_on_device:
        body = _body(
            source,
            source.lexeme_index(declaration.start),
            source.lexeme_index(declaration.end),
        )
        whole = extend_to_whole_conditionals(source, body, declaration.end) == body
        whole_text = (declaration.start, declaration.end, "")
        tells = _is_deduced(whole_text, source) and not names_needing_bodies.isdisjoint(
            declaration.names
        )
        return ((body, declaration.end, ";"),) if body and whole and not tells else ()
    if (
        declaration.cursor.kind not in TYPE_KINDS
        or "(" not in source.raw[declaration.start : declaration.end]
    ):
        return ()
    found = _but_deduced(
        sorted(_cuts(declaration.cursor, source, kept_code)),
        source,
        names_needing_bodies,
    )
    if not found:
        return ()
    left = _words_left(declaration, source, [cut for cut, _ in found]).union(
        names_needing_bodies, _through(declaration, source)
    )
    return tuple(
        cut if cut[2] or name not in left else _declared(cut, source)
        for cut, name in found
    )


def _but_deduced(
    found: list[_Named], source: SourceText, asked: Collection[str]
) -> list[_Named]:
    """Return the cuts without the functions whose bodies tell a type that is asked for."""
    return [
        one for one in found if one[1] not in asked or not _is_deduced(one[0], source)
    ]


def _is_deduced(cut: Edit, source: SourceText) -> bool:
    """Tell of a function that is left out whether its body tells what it returns."""
    start, end, instead = cut
    body = _body(source, source.lexeme_index(start), source.lexeme_index(end))
    head = (
        {lexeme.text for lexeme in source.lexemes_between(start, body)}
        if body and not instead
        else set()
    )
    return "auto" in head and "->" not in head


def _words_left(
    declaration: Declaration, source: SourceText, cuts: Sequence[Edit]
) -> set[str]:
    """Return the words of a class outside of its cuts: a constant function may call what is for
    the host alone.
    """
    words: set[str] = set()
    start = declaration.start
    for cut, behind, _ in cuts:
        words |= source.names_between(start, cut)
        start = behind
    return words | source.names_between(start, declaration.end)


def _through(declaration: Declaration, source: SourceText) -> set[str]:
    """Return the functions of a specialisation that are named through its template: what names
    them may stay.
    """
    if not _SPECIALISED.match(source.raw, declaration.start):
        return set()
    return {
        member
        for template, member in _qualified(source)
        if template in declaration.names
    }


@cache_per_source
def _qualified(source: SourceText) -> frozenset[tuple[str, str]]:
    """Return each template and what is called of it: of `Parse<T>::text(…)` these are `Parse`
    and `text`.
    """
    return frozenset((found[1], found[2]) for found in _THROUGH.finditer(source.raw))


def _declared(cut: Edit, source: SourceText) -> Edit:
    """Return the cut that leaves a function its declaration."""
    start, end, _ = cut
    body = _body(source, source.lexeme_index(start), source.lexeme_index(end))
    return (body, end, ";") if body else (start, start, "")


def find_kept_words(
    declaration: Declaration,
    source: SourceText,
    host_edits: Sequence[Edit],
    kept_code: KeptHostCode,
) -> frozenset[str]:
    """Return the words of what is wanted in a declaration: of functions, of classes with their
    members and bases.
    """
    if declaration.kind == "function":
        named = not kept_code.kept_names.isdisjoint(declaration.names)
        return (
            source.names_between(declaration.start, declaration.end)
            if named
            else frozenset()
        )
    ranges = (
        _wanted_ranges(declaration.cursor, kept_code)
        if declaration.cursor.kind in TYPE_KINDS
        else ()
    )
    return frozenset().union(
        *(_words_but(source, start, end, host_edits) for start, end in ranges)
    )


def _wanted_ranges(scope: Any, wanted: KeptHostCode) -> Iterator[tuple[int, int]]:
    if scope.spelling in wanted.kept_names:
        yield scope.extent.start.offset, scope.extent.end.offset
        return
    for cursor in scope.get_children():
        if cursor.kind in TYPE_KINDS:
            yield from _wanted_ranges(cursor, wanted)
        elif cursor.kind in FUNCTION_KINDS and cursor.spelling in wanted.kept_names:
            yield cursor.extent.start.offset, cursor.extent.end.offset


def _words_but(
    source: SourceText, start: int, end: int, cuts: Sequence[Edit]
) -> frozenset[str]:
    words: frozenset[str] = frozenset()
    for cut, behind, _ in (*cuts, (end, end, "")):
        if start <= cut <= end:
            words |= source.names_between(start, cut)
            start = max(start, behind)
    return words


def _cuts(scope: Any, source: SourceText, wanted: KeptHostCode) -> Iterator[_Named]:
    """Yield what is left out, each with the name of its function."""
    for cursor in scope.get_children():
        if cursor.kind in TYPE_KINDS:
            yield from _cuts(cursor, source, wanted)
        elif cursor.kind in FUNCTION_KINDS and (cut := _cut(cursor, scope, source)):
            name = str(cursor.spelling)
            if not wanted.is_kept(name, str(scope.spelling), is_declared=cut[2] == ";"):
                yield cut, name


def _cut(cursor: Any, scope: Any, source: SourceText) -> Edit | None:
    attributes = {
        child.kind for child in cursor.get_children() if child.kind.is_attribute()
    }
    if attributes & _ON_DEVICE:
        return None
    start, end = find_declaration_extent(cursor, source)
    first, behind = source.lexeme_index(start), source.lexeme_index(end)
    body = _body(source, first, behind)
    head = {
        lexeme.text
        for lexeme in source.lexemes[
            first : source.lexeme_index(body) if body else behind
        ]
    }
    text = source.raw[start:end]
    is_pure = (
        bool(head & _PURE) and CursorKind.CUDAHOST_ATTR not in attributes
    )  # the attribute takes it from devices
    if (
        is_pure
        or cursor.spelling not in text
        or text.count("#if") != text.count("#endif")
    ):
        return None
    keeps = (
        cursor.kind in _LIFE
        or bool(head & _KEPT)
        or str(cursor.spelling).split("<")[0] == scope.spelling
    )
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
            at = source.closing_brackets.get(at, behind)
        at += 1
    return 0
