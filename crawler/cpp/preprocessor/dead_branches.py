"""Ranges never compiled (`#if 0`), and ranges extended to whole conditionals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.directives import BRANCHING, CLOSING, OPENING
from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source

_LITERAL_TRUTH: Final[dict[tuple[str, ...], bool]] = {
    ("0",): False,
    ("false",): False,
    ("1",): True,
    ("true",): True,
}
"""What a condition of one token says; no other condition is evaluated."""


def is_in_dead_branch(source: SourceText, offset: int) -> bool:
    """Tell whether an offset lies in what no compiler ever reads."""
    dead_ranges = _list_dead_ranges(source)
    following = bisect_right(dead_ranges, (offset, len(source.raw)))
    return following > 0 and offset < dead_ranges[following - 1][1]


@cache_per_source
def _list_dead_ranges(source: SourceText) -> tuple[tuple[int, int], ...]:
    return tuple(_iter_dead_ranges(source))


def _iter_dead_ranges(source: SourceText) -> Iterator[tuple[int, int]]:
    """Yield disjoint ranges in order; a branch inside a dead one says nothing more."""
    # for each open conditional whether its current branch is read; `None` where that depends
    branch_truths: list[bool | None] = []
    dead_start = -1

    for word, offset, truth in _iter_conditional_directives(source):
        if word in OPENING:
            branch_truths.append(truth)
        elif branch_truths and word in BRANCHING:
            # behind a literal 0 comes what is read, behind a literal 1 what is not; more than
            # that nobody writes
            if branch_truths[-1] is not None:
                branch_truths[-1] = not branch_truths[-1]
        elif branch_truths:
            branch_truths.pop()

        is_dead = False in branch_truths
        was_dead = dead_start >= 0

        if is_dead and not was_dead:
            dead_start = offset
        elif was_dead and not is_dead:
            yield dead_start, offset
            dead_start = -1

    if dead_start >= 0:
        yield dead_start, len(source.raw)


def _iter_conditional_directives(
    source: SourceText,
) -> Iterator[tuple[str, int, bool | None]]:
    """Yield (directive, offset, what a literal condition says) of each conditional directive."""
    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes):
        if lexeme.text != "#":
            continue

        word = _read_directive_name(lexemes, index)
        if word not in OPENING and word not in BRANCHING and word != CLOSING:
            continue

        truth = None
        if word == "if":
            # two tokens tell a literal from a longer condition
            condition = tuple(
                token.text
                for token in lexemes[index + 2 : index + 4]
                if token.directive == "if"
            )
            truth = _LITERAL_TRUTH.get(condition)

        yield word, lexeme.offset, truth


def extend_to_whole_conditionals(source: SourceText, start: int, end: int) -> int:
    """Return where a range must begin so that each `#else` and `#endif` in it has its `#if`."""
    if "#" not in source.raw[start:end]:
        return start

    lexemes = source.lexemes
    first = source.lexeme_index(start)
    # an `#else` at depth 0 needs an `#if` in front just as an `#endif` does
    depth = 0
    lowest_depth = 0

    for index in range(first, source.lexeme_index(end)):
        word = _read_directive_name(lexemes, index)
        depth += (word in OPENING) - (word == CLOSING)
        lowest_depth = min(lowest_depth, depth - (word in BRANCHING))

    # step back until as many conditionals open as are closed or branched in the range
    index = first
    while lowest_depth < 0 and index > 0:
        index -= 1
        word = _read_directive_name(lexemes, index)
        lowest_depth += (word in OPENING) - (word == CLOSING)

    is_extended = lowest_depth >= 0 and index < first
    return lexemes[index].offset if is_extended else start


def _read_directive_name(lexemes: Sequence[Lexeme], index: int) -> str:
    """Return the name of the directive whose `#` stands at `index`; empty for other tokens."""
    lexeme = lexemes[index]
    is_directive = lexeme.text == "#" and lexeme.directive == "#"
    if not is_directive or index + 1 >= len(lexemes):
        return ""

    return lexemes[index + 1].text
