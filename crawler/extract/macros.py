"""The project's macros, each with the conditional group that chooses between its definitions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from crawler.extract.source import SourceText

_OPEN = frozenset({"if", "ifdef", "ifndef"})


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define`, as text that may be repeated elsewhere."""

    name: str
    path: str
    start: int
    text: str
    """The directive, or the whole group of directives when nothing but directives stands in it."""
    words: frozenset[str]
    """Names that its text uses."""


def macros(source: SourceText) -> list[Macro]:
    """Return the macros that a file defines, in order."""
    if "#" not in source.raw:
        return []
    directives = _directives(source)
    groups = _groups(source, directives)
    found = []
    for first, last in directives:
        if source.lexemes[first].directive == "#" and _word(source, first) == "define" and last > first + 1:
            start, end = groups.get(first, (source.lexemes[first].offset, source.lexemes[last].end))
            words = source.words(start, end)
            name = source.lexemes[first + 2].text
            found.append(Macro(name, source.path, start, source.text(start, end).replace("\r\n", "\n"), words - {name}))
    return found


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


def _groups(source: SourceText, directives: list[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Return, for each `#define` in a group of directives alone, that group's range: the outermost such one."""
    closed: list[tuple[int, int]] = []
    stack: list[int] = []
    for order, (first, _) in enumerate(directives):
        word = _word(source, first)
        if word in _OPEN:
            stack.append(order)
        elif word == "endif" and stack:
            closed.append((stack.pop(), order))
    pure = [(begin, end) for begin, end in closed if _is_pure(source, directives[begin : end + 1])]
    found: dict[int, tuple[int, int]] = {}
    for begin, end in sorted(pure, key=lambda group: group[0] - group[1]):
        span = (source.lexemes[directives[begin][0]].offset, source.lexemes[directives[end][1]].end)
        for first, _ in directives[begin : end + 1]:
            found.setdefault(first, span)
    return found


def _is_pure(source: SourceText, directives: list[tuple[int, int]]) -> bool:
    """Tell whether nothing but directives stands between the first and the last, and none of them includes a file."""
    neighbours = pairwise(directives)
    if any(after[0] != before[1] + 1 for before, after in neighbours):
        return False
    return not any(_word(source, first) in ("include", "pragma", "error") for first, _ in directives)
