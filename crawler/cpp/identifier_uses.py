"""Identifiers in a piece of code, with their qualifiers and how they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.source_text import Lexeme, SourceText

_OF_A_TEMPLATE: Final = "<>"
_KEYWORDS: Final = frozenset(
    {
        "return",
        "case",
        "else",
        "typename",
        "const",
        "throw",
        "new",
        "goto",
        "operator",
        "template",
        "constexpr",
    }
)
_BEHIND_PARAMETERS: Final = frozenset(
    {"const", "noexcept", "mutable", "volatile", "&", "override", "final"}
)
_LONGEST_HEAD: Final = 400


class Identifier(NamedTuple):
    """A name as it stands in code."""

    name: str
    qualifier: tuple[str, ...] = ()
    """What stands before `::`, outermost first: an empty word for the global scope, `<>` for a
    template's members.
    """
    is_called: bool = False
    is_member: bool = False
    """Whether it stands behind a dot or an arrow: then only a macro can be meant."""
    is_scope: bool = False
    """Whether it stands where a namespace may: in front of `::`, or behind `namespace`."""


_DECOMPOSED: Final = (
    *(Identifier(name, ("std",)) for name in ("tuple_size", "tuple_element")),
    Identifier("get", is_called=True),
)
"""What decomposing a value may ask for, by [dcl.struct.bind]."""


def collect_identifiers(
    source: SourceText, start: int, end: int
) -> frozenset[Identifier]:
    """Return the names of a range of a file."""
    first, behind = source.lexeme_index(start), source.lexeme_index(end)
    return frozenset(_mentions(source.lexemes, first, behind))


def collect_lexeme_identifiers(lexemes: Sequence[Lexeme]) -> frozenset[Identifier]:
    """Return the names among tokens."""
    return frozenset(_mentions(lexemes, 0, len(lexemes)))


def collect_text_identifiers(text: str) -> frozenset[Identifier]:
    """Return the names of a text of its own, such as a template argument."""
    lexemes: list[Lexeme] = []
    offset = 0
    for token in tokenize(text):
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT):
            lexemes.append(Lexeme(token.kind, token.text, offset, ""))
        offset += len(token.text)
    return collect_lexeme_identifiers(lexemes)


def _mentions(
    lexemes: Sequence[Lexeme], first: int, behind: int
) -> Iterator[Identifier]:
    for at in range(first, behind):
        lexeme = lexemes[at]
        if lexeme.kind is not TokenKind.NAME:
            continue
        before = lexemes[at - 1].text if at > first else ""
        after = lexemes[at + 1].text if at + 1 < behind else ""
        if before == "template" and at > first + 1:
            before = lexemes[at - 2].text
        qualifier = _qualifier(lexemes, at, first) if before == "::" else ()
        is_member = (
            before in (".", "->")
            and not _is_pack(lexemes, at, first)
            and not _is_returned(lexemes, at, first)
        )
        is_scope = after == "::" or _is_namespace(lexemes, at, first)
        yield Identifier(
            lexeme.text, qualifier, after in ("(", "<"), is_member, is_scope
        )
        if lexeme.text == "auto" and _is_decomposed(lexemes, at + 1, behind):
            yield from _DECOMPOSED


def _is_decomposed(lexemes: Sequence[Lexeme], at: int, behind: int) -> bool:
    """Tell whether what follows `auto` are names for the parts of a value: `[first, second]`."""
    while at < behind and lexemes[at].text in ("&", "&&"):
        at += 1
    return at < behind and lexemes[at].text == "["


def _is_namespace(lexemes: Sequence[Lexeme], at: int, first: int) -> bool:
    """Tell whether a name ends what `using namespace a::b` or `namespace c = a::b` names."""
    while at > first + 1 and lexemes[at - 1].text == "::":
        at -= 2
    if at > first + 1 and lexemes[at - 1].text == "=":
        at -= 2
    return at > first and lexemes[at - 1].text == "namespace"


def _is_pack(lexemes: Sequence[Lexeme], at: int, first: int) -> bool:
    return at >= first + 2 and lexemes[at - 1].text == lexemes[at - 2].text == "."


def _is_returned(lexemes: Sequence[Lexeme], at: int, first: int) -> bool:
    """Tell whether a name is the type that a function or a lambda returns: `auto f(int) const
    -> T`.
    """
    at -= 2
    if at < first or lexemes[at + 1].text != "->":
        return False
    while at > first and lexemes[at].text in _BEHIND_PARAMETERS:
        at -= 1
    depth = 0
    for before in range(at, max(first, at - _LONGEST_HEAD) - 1, -1):
        text = lexemes[before].text
        depth += (text == ")") - (text == "(")
        if depth == 0 and (before == at or text in (";", "{", "}", "=")):
            return False
        if depth == 0 and text in ("auto", "]"):
            return True
    return False


def _qualifier(lexemes: Sequence[Lexeme], at: int, first: int) -> tuple[str, ...]:
    parts: list[str] = []
    at -= 1 if lexemes[at - 1].text == "::" else 2
    while at >= first and lexemes[at].text == "::":
        before = lexemes[at - 1] if at > first else None
        if before is not None and before.text == ">":
            return _OF_A_TEMPLATE, *reversed(parts)
        if (
            before is None
            or before.kind is not TokenKind.NAME
            or before.text in _KEYWORDS
        ):
            return "", *reversed(parts)
        parts.append(before.text)
        at -= 2
    return tuple(reversed(parts))
