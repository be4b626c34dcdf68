"""The macros defined in a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.directive_ranges import find_directive_ranges
from crawler.cpp.identifier_uses import Identifier, collect_lexeme_identifiers
from crawler.cpp.preprocessor.pragma_macros import convert_to_pragma_operator
from crawler.cpp.source_text import SourceText, cache_per_source

_DEFINE: Final = re.compile(r"#(?:[^\n]{0,200}?|/\*(?s:.{0,2000}?)\*/)\bdefine\b")
_FEWEST: Final = 3
"""Tokens of `#define NAME`."""


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
    used_names: frozenset[str]
    """Names that its text uses."""
    identifiers: frozenset[Identifier]
    """The same names, as they stand there."""


@cache_per_source
def find_macros(source: SourceText) -> tuple[Macro, ...]:
    """Return the macros that a file defines, in order."""
    if "#" not in source.raw:
        return ()
    found = (
        _macro(source, start, end)
        for start, end in find_directive_ranges(source)
        if _DEFINE.match(source.raw, start)
    )
    return tuple(macro for macro in found if macro is not None)


def _macro(source: SourceText, start: int, end: int) -> Macro | None:
    lexemes = source.lexemes_between(start, end)
    if len(lexemes) < _FEWEST or lexemes[1].text != "define":
        return None
    named = lexemes[2]
    used = frozenset(
        one for one in collect_lexeme_identifiers(lexemes) if one.name != named.text
    )
    text = source.text_between(start, lexemes[-1].end).replace("\r\n", "\n")
    return Macro(
        name=named.text,
        path=source.path,
        start=start,
        name_offset=named.offset,
        end=lexemes[-1].end,
        text=convert_to_pragma_operator(text),
        used_names=frozenset(one.name for one in used),
        identifiers=used,
    )
