"""Ranges never compiled (`#if 0`), and ranges extended to whole conditionals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.cpp.directives import BRANCHING, CLOSING, OPENING
from crawler.cpp.files.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.preprocessor.conditions import MacroValue, both, negate

_LITERAL_TRUTH: Final[dict[tuple[str, ...], MacroValue]] = {
    ("0",): 0,
    ("false",): 0,
    ("1",): 1,
    ("true",): 1,
}
"""What a condition of one token says; no other condition is evaluated."""


class _Branch(NamedTuple):
    """The current branch of a conditional that is not closed yet."""

    is_read: MacroValue
    is_next_reachable: MacroValue
    """Whether neither this branch nor one above it is read."""

    def make_next(self, truth: MacroValue) -> _Branch:
        """Return the branch below, whose own condition comes to `truth`."""
        return _Branch(
            both(self.is_next_reachable, truth),
            both(self.is_next_reachable, negate(truth)),
        )


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
    open_branches: list[_Branch] = []
    dead_start = -1

    for word, offset, truth in _iter_conditional_directives(source):
        if word in OPENING:
            open_branches.append(_Branch(truth, negate(truth)))
        elif open_branches and word in BRANCHING:
            open_branches[-1] = open_branches[-1].make_next(truth)
        elif open_branches:
            open_branches.pop()

        is_dead = any(branch.is_read == 0 for branch in open_branches)
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
) -> Iterator[tuple[str, int, MacroValue]]:
    """Yield (directive, offset, what a literal condition says) of each conditional directive.

    The condition of an `#else` is true.
    """
    lexemes = source.lexemes
    for index, lexeme in enumerate(lexemes):
        if lexeme.text != "#":
            continue

        word = _read_directive_name(lexemes, index)
        if word not in OPENING and word not in BRANCHING and word != CLOSING:
            continue

        truth: MacroValue = 1 if word == "else" else None
        if word in ("if", "elif"):
            # two tokens tell a literal from a longer condition
            condition = tuple(
                token.text
                for token in lexemes[index + 2 : index + 4]
                if token.directive == word
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
