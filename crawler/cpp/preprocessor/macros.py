"""The macros defined in a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.files.identifier_uses import Identifier, collect_lexeme_identifiers
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.pragma_macros import convert_to_pragma_operator

# sorts out most directives before they are cut into tokens, which decide
_DEFINE: Final = re.compile(r"#(?:[^\n]{0,200}?|/\*(?s:.{0,2000}?)\*/)\bdefine\b")
_MIN_DEFINE_TOKENS: Final = 3
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

    macros: list[Macro] = []
    for start, end in find_directive_ranges(source):
        if not _DEFINE.match(source.raw, start):
            continue

        macro = _read_macro(source, start, end)
        if macro is not None:
            macros.append(macro)

    return tuple(macros)


def _read_macro(source: SourceText, start: int, end: int) -> Macro | None:
    lexemes = source.lexemes_between(start, end)
    if len(lexemes) < _MIN_DEFINE_TOKENS or lexemes[1].text != "define":
        return None

    name = lexemes[2]
    macro_end = lexemes[-1].end
    identifiers = frozenset(
        identifier
        for identifier in collect_lexeme_identifiers(lexemes)
        if identifier.name != name.text
    )
    text = source.text_between(start, macro_end).replace("\r\n", "\n")

    return Macro(
        name=name.text,
        path=source.path,
        start=start,
        name_offset=name.offset,
        end=macro_end,
        text=convert_to_pragma_operator(text),
        used_names=frozenset(identifier.name for identifier in identifiers),
        identifiers=identifiers,
    )
