"""Ranges never compiled (`#if 0`), and ranges extended to whole conditionals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.directives import BRANCHING, CLOSING, OPENING
from crawler.cpp.source_text import Lexeme, SourceText, cache_per_source

_TRUTH: Final[dict[tuple[str, ...], bool]] = {
    ("0",): False,
    ("false",): False,
    ("1",): True,
    ("true",): True,
}


def is_in_dead_branch(source: SourceText, offset: int) -> bool:
    """Tell whether an offset lies in what no compiler ever reads."""
    ranges = _dead(source)
    at = bisect_right(ranges, (offset, len(source.raw))) - 1
    return at >= 0 and offset < ranges[at][1]


@cache_per_source
def _dead(source: SourceText) -> tuple[tuple[int, int], ...]:
    return tuple(_ranges(source))


def _ranges(source: SourceText) -> Iterator[tuple[int, int]]:
    """Yield disjoint ranges in order; a branch inside a dead one says nothing more."""
    open_ones: list[bool | None] = []
    start = -1
    for word, offset, said in _conditions(source):
        alive = start < 0
        if word in OPENING:
            open_ones.append(said)
        elif open_ones and word in BRANCHING:
            # behind a literal 0 comes what is read, behind a literal 1 what is not; more than
            # that nobody writes
            open_ones[-1] = None if open_ones[-1] is None else not open_ones[-1]
        elif open_ones:
            open_ones.pop()
        dead = False in open_ones
        if dead and alive:
            start = offset
        elif not dead and not alive:
            yield start, offset
            start = -1
    if start >= 0:
        yield start, len(source.raw)


def _conditions(source: SourceText) -> Iterator[tuple[str, int, bool | None]]:
    """Yield (directive, offset, what a literal condition says) of each conditional directive."""
    lexemes = source.lexemes
    for at, lexeme in enumerate(lexemes):
        if lexeme.text == "#" and lexeme.directive == "#" and at + 1 < len(lexemes):
            word = lexemes[at + 1].text
            if word in OPENING or word in BRANCHING or word == CLOSING:
                told = tuple(
                    each.text
                    for each in lexemes[at + 2 : at + 4]
                    if each.directive == "if"
                )
                yield word, lexeme.offset, _TRUTH.get(told) if word == "if" else None


def extend_to_whole_conditionals(source: SourceText, start: int, end: int) -> int:
    """Return where a range must begin so that each `#else` and `#endif` in it has its `#if`."""
    if "#" not in source.raw[start:end]:
        return start
    lexemes, first = source.lexemes, source.lexeme_index(start)
    depth = lowest = 0
    for at in range(first, source.lexeme_index(end)):
        word = _directive(lexemes, at)
        depth += (word in OPENING) - (word == CLOSING)
        lowest = min(lowest, depth - (word in BRANCHING))
    at = first
    while lowest < 0 and at > 0:
        at -= 1
        word = _directive(lexemes, at)
        lowest += (word in OPENING) - (word == CLOSING)
    return lexemes[at].offset if lowest >= 0 and at < first else start


def _directive(lexemes: Sequence[Lexeme], at: int) -> str:
    is_hash = lexemes[at].text == "#" and lexemes[at].directive == "#"
    return lexemes[at + 1].text if is_hash and at + 1 < len(lexemes) else ""
