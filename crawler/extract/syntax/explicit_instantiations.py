"""Find what a file instantiates explicitly, as its text shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.lexer import TokenKind

_MAX_INSTANTIATION_TOKENS: Final = 60
# `template` in front of what is no parameter list; behind a dot, an arrow or a scope it names a
# member. Most files have none, and are not tokenized.
_EXPLICIT_INSTANTIATION: Final = re.compile(
    r"(?<!\.)(?<!->)(?<!::)(?<!\w)template\s+[A-Za-z_/]"
)


@cache_per_source
def find_instantiated_names(source: SourceText) -> frozenset[str]:
    """Return the names behind `template` without a parameter list."""
    if not _EXPLICIT_INSTANTIATION.search(source.raw):
        return frozenset()

    names: set[str] = set()
    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes[:-1]):
        if lexeme.text != "template":
            continue

        # `template <` heads a template
        first = index + 1
        if lexemes[first].text != "<":
            end = index + _MAX_INSTANTIATION_TOKENS
            names.update(_iter_names(lexemes[first:end]))

    return frozenset(names)


def _iter_names(lexemes: Iterable[Lexeme]) -> Iterator[str]:
    """Yield the names in front of the end of a declaration."""
    for lexeme in lexemes:
        if lexeme.text in (";", "{"):
            return

        if lexeme.kind is TokenKind.NAME:
            yield lexeme.text
