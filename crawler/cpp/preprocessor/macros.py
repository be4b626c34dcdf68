"""The macros defined in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.directives import directive_name
from crawler.cpp.files.identifier_uses import Identifier, collect_lexeme_identifiers
from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.pragma_macros import convert_to_pragma_operator

DEFINITION: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE
)
"""A macro's name and what stands behind it, in a text of ours or one without comments.

Of a file of a project `find_macros` has them exactly.
"""
_MIN_DEFINE_TOKENS: Final = 3
"""Tokens of `#define NAME`."""
_NAME: Final = 2
"""The position of the name among them."""


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define`, as text that may be repeated elsewhere."""

    name: str
    path: str
    start: int
    name_offset: int
    end: int
    text: str
    """The directive."""
    parameters: tuple[str, ...] | None
    """What its list holds, `rest...` among it; `None` where it takes no list."""
    body: str
    """What its text has behind its name and its list."""
    used_names: frozenset[str]
    """Names that its text uses."""
    identifiers: frozenset[Identifier]
    """The same names, as they stand there."""


@cache_per_source
def find_macros(source: SourceText) -> tuple[Macro, ...]:
    """Return the macros that a file defines, in order."""
    if "#" not in source.raw:
        return ()

    macros: list[Macro] = []
    for start, end in find_directive_ranges(source):
        if directive_name(source.raw, start) != "define":
            continue

        macro = _read_macro(source, start, end)
        if macro is not None:
            macros.append(macro)

    return tuple(macros)


def _read_macro(source: SourceText, start: int, end: int) -> Macro | None:
    lexemes = source.lexemes_between(start, end)
    if len(lexemes) < _MIN_DEFINE_TOKENS:
        return None

    name = lexemes[_NAME]
    macro_end = lexemes[-1].end
    identifiers = frozenset(
        identifier
        for identifier in collect_lexeme_identifiers(lexemes)
        if identifier.name != name.text
    )
    text = convert_to_pragma_operator(_read_text(source, start, macro_end))
    parameters, head_end = _read_parameters(lexemes)
    # a pragma is rewritten in the body alone
    head = _read_text(source, start, head_end)

    return Macro(
        name=name.text,
        path=source.path,
        start=start,
        name_offset=name.offset,
        end=macro_end,
        text=text,
        parameters=parameters,
        body=text[len(head) :],
        used_names=frozenset(identifier.name for identifier in identifiers),
        identifiers=identifiers,
    )


def _read_parameters(lexemes: Sequence[Lexeme]) -> tuple[tuple[str, ...] | None, int]:
    """Return the parameters in a directive, and the offset behind them or behind the name."""
    name_end = lexemes[_NAME].end
    opening = _NAME + 1
    # a list stands directly behind the name: `#define A (1)` has none
    has_list = opening < len(lexemes) and (
        (lexemes[opening].text, lexemes[opening].offset) == ("(", name_end)
    )
    closing = closing_token(lexemes, opening) if has_list else -1
    if closing < 0:
        return None, name_end

    # `rest...` is four tokens
    parts = split_tokens(lexemes[opening + 1 : closing])
    parameters = ("".join(token.text for token in part) for part in parts)
    return tuple(parameters), lexemes[closing].end


def _read_text(source: SourceText, start: int, end: int) -> str:
    return source.text_between(start, end).replace("\r\n", "\n")
