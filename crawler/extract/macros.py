"""The macros that a file of the project defines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.extract.mentions import Mention, mentions_of
from crawler.extract.pragmas import standard
from crawler.extract.skim import directives
from crawler.extract.source import SourceText, remembered

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
    words: frozenset[str]
    """Names that its text uses."""
    mentions: frozenset[Mention]
    """The same names, as they stand there."""


@remembered
def macros(source: SourceText) -> tuple[Macro, ...]:
    """Return the macros that a file defines, in order."""
    if "#" not in source.raw:
        return ()
    found = (_macro(source, start, end) for start, end in directives(source) if _DEFINE.match(source.raw, start))
    return tuple(macro for macro in found if macro is not None)


def _macro(source: SourceText, start: int, end: int) -> Macro | None:
    lexemes = source.cut(start, end)
    if len(lexemes) < _FEWEST or lexemes[1].text != "define":
        return None
    named = lexemes[2]
    used = frozenset(one for one in mentions_of(lexemes) if one.name != named.text)
    text = source.text(start, lexemes[-1].end).replace("\r\n", "\n")
    return Macro(
        name=named.text,
        path=source.path,
        start=start,
        name_offset=named.offset,
        end=lexemes[-1].end,
        text=standard(text),
        words=frozenset(one.name for one in used),
        mentions=used,
    )
