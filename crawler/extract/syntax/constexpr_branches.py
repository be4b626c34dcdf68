"""Conditions that the `if constexpr` branches around an offset put on template parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.cpp.arguments import split_words
from crawler.cpp.functions import find_enclosing_function
from crawler.cpp.source_text import Lexeme, SourceText

_Words = tuple[str, ...]
_Conditions = tuple[tuple[_Words, bool], ...]
"""The words of conditions, each with whether it holds."""
_TRUTH: Final = {True: "true", False: "false"}
_PAIRS: Final = frozenset({"==", "!=", "&&", "||"})


def find_branch_conditions(
    source: SourceText, offset: int
) -> tuple[tuple[Mapping[str, str], ...], ...]:
    """Return, for each condition round an offset, the ways to fulfil it: names with the values
    that they must have.

    Only comparisons of one name, and names that are a condition themselves, say so.
    """
    return tuple(
        ways for words, holds in _round(source, offset) if (ways := _ways(words, holds))
    )


def _round(source: SourceText, offset: int) -> Iterator[tuple[_Words, bool]]:
    function = find_enclosing_function(source, offset)
    if function is None:
        return
    lexemes, target = source.lexemes, source.lexeme_index(offset)
    before: dict[int, _Conditions] = {}
    for at in range(source.lexeme_index(function.body_start), target):
        if [one.text for one in lexemes[at : at + 3]] != ["if", "constexpr", "("]:
            continue
        end = source.find_closing_bracket(at + 2)
        if end < 0 or end >= target:
            continue
        words = _words(lexemes[at + 3 : end])
        last = _statement(source, end + 1)
        known = before.get(at, ())
        if target <= last:
            yield from (*known, (words, True))
        elif _texts(lexemes, last + 1) == "else":
            known = (*known, (words, False))
            if _texts(lexemes, last + 2) == "if":
                before[last + 2] = known
            elif target <= _statement(source, last + 2):
                yield from known


def _words(lexemes: Iterable[Lexeme]) -> _Words:
    """Return the texts of tokens, signs of two characters as one."""
    words: list[str] = []
    for lexeme in lexemes:
        if words and words[-1] + lexeme.text in _PAIRS:
            words[-1] += lexeme.text
        else:
            words.append(lexeme.text)
    return tuple(words)


def _texts(lexemes: Sequence[Lexeme], at: int) -> str:
    return lexemes[at].text if at < len(lexemes) else ""


def _statement(source: SourceText, start: int) -> int:
    """Return the position of the last token of the statement that begins at one."""
    if _texts(source.lexemes, start) == "{":
        return source.find_closing_bracket(start)
    at = start
    while at < len(source.lexemes) and source.lexemes[at].text != ";":
        at = max(at, source.find_closing_bracket(at)) + 1
    return at


def _ways(words: _Words, holds: bool) -> tuple[Mapping[str, str], ...]:
    """Return the ways to fulfil a condition; of one that must not hold only where it is a
    single comparison.
    """
    listed = [_parts(_bare(way), "&&") for way in _parts(_bare(words), "||")]
    if not holds and (len(listed) > 1 or len(listed[0]) > 1):
        return ()
    ways = (
        {name: value for term in terms for name, value in _told(term, holds)}
        for terms in listed
    )
    return tuple(way for way in ways if way)


def _told(term: _Words, holds: bool) -> Iterator[tuple[str, str]]:
    """Yield the name that a comparison is of with its value; either side may be the name of a
    parameter.
    """
    term = _bare(term)
    if len(term) == 1 and term[0].isidentifier():
        yield term[0], _TRUTH[holds]
    elif len(term) == 2 and term[0] == "!" and term[1].isidentifier():
        yield term[1], _TRUTH[not holds]
    sides = _parts(term, "==" if holds else "!=")
    if len(sides) == 2:
        for (name, *more), value in (sides, reversed(sides)):
            if name.isidentifier() and not more:
                yield name, "".join(value)


def _bare(words: _Words) -> _Words:
    """Return what stands in the brackets round all of it."""
    while words[:1] == ("(",) and words[-1:] == (")",):
        words = words[1:-1]
    return words


def _parts(words: _Words, sign: str) -> list[_Words]:
    """Return what stands between the signs that no bracket is round."""
    return [tuple(part) for part in split_words(words, sign) if part]
