"""Identifiers in a piece of code, with their qualifiers and how they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.identifiers import KEYWORDS_BEFORE_GLOBAL_SCOPE
from crawler.cpp.lexer import TokenKind, tokenize

_TEMPLATE_QUALIFIER: Final = "<>"
_WORDS_BEHIND_PARAMETERS: Final = frozenset(
    {"const", "noexcept", "mutable", "volatile", "&", "override", "final"}
)
_LONGEST_HEAD: Final = 400
"""Tokens of a function's head that are looked back through for its beginning."""


class Identifier(NamedTuple):
    """A name as it stands in code."""

    name: str
    qualifier: tuple[str, ...] = ()
    """What stands before `::`, outermost first.

    An empty word is the global scope, `<>` a template's members.
    """
    is_called: bool = False
    is_member: bool = False
    """Whether it stands behind a dot or an arrow: then only a macro can be meant."""
    is_scope: bool = False
    """Whether it stands where a namespace may: in front of `::`, or behind `namespace`."""


_DECOMPOSITION_NAMES: Final = (
    Identifier("tuple_size", ("std",)),
    Identifier("tuple_element", ("std",)),
    Identifier("get", is_called=True),
)
"""What decomposing a value may ask for, by [dcl.struct.bind]."""


def collect_identifiers(
    source: SourceText, start: int, end: int
) -> frozenset[Identifier]:
    """Return the names of a range of a file."""
    first = source.lexeme_index(start)
    behind = source.lexeme_index(end)
    return frozenset(_iter_identifiers(source.lexemes, first, behind))


def collect_lexeme_identifiers(lexemes: Sequence[Lexeme]) -> frozenset[Identifier]:
    """Return the names among tokens."""
    return frozenset(_iter_identifiers(lexemes, 0, len(lexemes)))


def collect_text_identifiers(text: str) -> frozenset[Identifier]:
    """Return the names of a text of its own, such as a template argument."""
    lexemes: list[Lexeme] = []
    offset = 0

    for token in tokenize(text):
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT):
            lexemes.append(Lexeme(token.kind, token.text, offset, directive=""))

        offset += len(token.text)

    return collect_lexeme_identifiers(lexemes)


def _iter_identifiers(
    lexemes: Sequence[Lexeme], first: int, behind: int
) -> Iterator[Identifier]:
    """Yield the names from position `first` up to `behind`; what stands outside is not seen."""
    for index in range(first, behind):
        lexeme = lexemes[index]
        if lexeme.kind is not TokenKind.NAME:
            continue

        # outside of the range stands another declaration
        before = lexemes[index - 1].text if index > first else ""
        after = lexemes[index + 1].text if index + 1 < behind else ""

        if before == "template" and index > first + 1:
            # `a.template f<int>()`
            before = lexemes[index - 2].text

        qualifier: tuple[str, ...] = ()
        if before == "::":
            qualifier = _read_qualifier(lexemes, index, first)

        is_member = (
            before in (".", "->")
            and not _follows_ellipsis(lexemes, index, first)
            and not _is_trailing_return_type(lexemes, index, first)
        )
        # `f(x)`, or `f<int>(x)`
        is_called = after in ("(", "<")
        is_scope = after == "::" or _names_namespace(lexemes, index, first)
        yield Identifier(lexeme.text, qualifier, is_called, is_member, is_scope)

        if lexeme.text == "auto" and _is_decomposition(lexemes, index + 1, behind):
            yield from _DECOMPOSITION_NAMES


def _is_decomposition(lexemes: Sequence[Lexeme], index: int, behind: int) -> bool:
    """Tell whether what follows `auto` are names for the parts of a value: `[first, second]`."""
    while index < behind and lexemes[index].text in ("&", "&&"):
        index += 1

    return index < behind and lexemes[index].text == "["


def _names_namespace(lexemes: Sequence[Lexeme], index: int, first: int) -> bool:
    """Tell whether a name ends what `using namespace a::b` or `namespace c = a::b` names."""
    # step back over `a::`, then over `c =`
    while index > first + 1 and lexemes[index - 1].text == "::":
        index -= 2

    if index > first + 1 and lexemes[index - 1].text == "=":
        index -= 2

    return index > first and lexemes[index - 1].text == "namespace"


def _follows_ellipsis(lexemes: Sequence[Lexeme], index: int, first: int) -> bool:
    """Tell whether a name follows `...`, which the lexer cuts into three dots."""
    if index < first + 2:
        return False

    return lexemes[index - 1].text == lexemes[index - 2].text == "."


def _is_trailing_return_type(lexemes: Sequence[Lexeme], index: int, first: int) -> bool:
    """Tell whether a name is the type that a function or a lambda returns.

    In `auto f(int) const -> T` it is: the arrow leads to no member.
    """
    index -= 2
    if index < first or lexemes[index + 1].text != "->":
        return False

    while index > first and lexemes[index].text in _WORDS_BEHIND_PARAMETERS:
        index -= 1

    # `-> T` of a lambda ends at its `]`, that of a function at `auto`
    # step back over the parameters to what stands in front of them
    head_start = max(first, index - _LONGEST_HEAD)
    depth = 0

    for before in range(index, head_start - 1, -1):
        text = lexemes[before].text
        depth += (text == ")") - (text == "(")
        if depth != 0:
            continue
        if before == index or text in (";", "{", "}", "="):
            return False
        if text in ("auto", "]"):
            return True

    return False


def _read_qualifier(
    lexemes: Sequence[Lexeme], index: int, first: int
) -> tuple[str, ...]:
    """Return what stands before the `::` in front of a name, outermost first."""
    innermost_first: list[str] = []
    # between `::` and the name there may be `template`
    index -= 1 if lexemes[index - 1].text == "::" else 2

    while index >= first and lexemes[index].text == "::":
        before = lexemes[index - 1] if index > first else None
        if before is not None and before.text == ">":
            return _TEMPLATE_QUALIFIER, *reversed(innermost_first)

        # anything but a name in front makes it the global scope: `x + ::f()`
        is_qualifier = (
            before is not None
            and before.kind is TokenKind.NAME
            and before.text not in KEYWORDS_BEFORE_GLOBAL_SCOPE
        )
        if before is None or not is_qualifier:
            return "", *reversed(innermost_first)

        innermost_first.append(before.text)
        index -= 2

    return tuple(reversed(innermost_first))
