"""The macros that a file of the project defines."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.extract.mentions import Mention, mentions
from crawler.extract.source import SourceText, remembered


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define`, as text that may be repeated elsewhere."""

    name: str
    path: str
    name_offset: int
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
    directives = _directives(source)
    found = []
    for first, last in directives:
        if source.lexemes[first].directive == "#" and _word(source, first) == "define" and last > first + 1:
            start, end = source.lexemes[first].offset, source.lexemes[last].end
            named = source.lexemes[first + 2]
            used = frozenset(one for one in mentions(source, start, end) if one.name != named.text)
            text = source.text(start, end).replace("\r\n", "\n")
            found.append(Macro(named.text, source.path, named.offset, text, frozenset(one.name for one in used), used))
    return tuple(found)


def _directives(source: SourceText) -> list[tuple[int, int]]:
    """Return (first, last) positions of each directive's tokens."""
    found: list[tuple[int, int]] = []
    for at, lexeme in enumerate(source.lexemes):
        if lexeme.directive == "#" and lexeme.text == "#":
            found.append((at, at))
        elif lexeme.directive and found:
            found[-1] = (found[-1][0], at)
    return found


def _word(source: SourceText, first: int) -> str:
    return source.lexemes[first + 1].text if first + 1 < len(source.lexemes) else ""
