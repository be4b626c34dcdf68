"""Conditions that the `if constexpr` branches around an offset put on template parameters.

The branches may be those of a template that nobody instantiates, whose bodies libclang does not
resolve; so they are read as tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.cpp.arguments import split_words
from crawler.cpp.files.functions import find_enclosing_function
from crawler.cpp.files.source_text import Lexeme, SourceText

_Words = tuple[str, ...]
_Condition = tuple[_Words, bool]
"""The words of a condition, and whether it holds."""
_TRUTH_WORDS: Final = {True: "true", False: "false"}
_DOUBLE_SIGNS: Final = frozenset({"==", "!=", "&&", "||"})
_IF_CONSTEXPR: Final = ["if", "constexpr", "("]


def find_branch_conditions(
    source: SourceText, offset: int
) -> tuple[tuple[Mapping[str, str], ...], ...]:
    """Return, for each condition round an offset, the ways to fulfil it.

    A way is names with the values that they must have. Only comparisons of one name, and names
    that are a condition themselves, tell such.
    """
    conditions: list[tuple[Mapping[str, str], ...]] = []
    for words, holds in _iter_conditions(source, offset):
        ways = _list_ways(words, holds)
        if ways:
            conditions.append(ways)

    return tuple(conditions)


def _iter_conditions(source: SourceText, offset: int) -> Iterator[_Condition]:
    """Yield the conditions of the branches that an offset stands in, outer ones first."""
    function = find_enclosing_function(source, offset)
    if function is None:
        return

    lexemes = source.lexemes
    first = source.lexeme_index(function.body_start)
    target = source.lexeme_index(offset)
    # by the position of an `if` behind an `else`: the conditions that the ones before it failed
    failed_before: dict[int, tuple[_Condition, ...]] = {}

    for index in range(first, target):
        # a plain `if` is compiled in every instantiation: it tells nothing of the arguments
        if not _is_if_constexpr(lexemes, index):
            continue

        opening = index + 2
        condition_end = source.find_closing_bracket(opening)
        if condition_end < 0 or condition_end >= target:
            continue

        condition_lexemes = lexemes[opening + 1 : condition_end]
        words = _join_double_signs(condition_lexemes)
        branch_end = _find_statement_end(source, condition_end + 1)
        failed = failed_before.get(index, ())

        # the offset stands in the branch that this condition guards
        if target <= branch_end:
            yield from failed
            yield words, True
            continue

        else_index = branch_end + 1
        if _text_at(lexemes, else_index) != "else":
            continue

        # what stands behind `else` is read only where this condition fails
        failed = (*failed, (words, False))
        else_start = else_index + 1

        if _text_at(lexemes, else_start) == "if":
            failed_before[else_start] = failed
        elif target <= _find_statement_end(source, else_start):
            yield from failed


def _is_if_constexpr(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Tell whether `if constexpr (` begins at a token."""
    # most tokens are no `if`: one comparison rules them out
    if lexemes[index].text != "if":
        return False

    following = lexemes[index : index + len(_IF_CONSTEXPR)]
    texts = [lexeme.text for lexeme in following]
    return texts == _IF_CONSTEXPR


def _join_double_signs(lexemes: Iterable[Lexeme]) -> _Words:
    """Return the texts of tokens, signs of two characters as one."""
    words: list[str] = []
    for lexeme in lexemes:
        joined = words[-1] + lexeme.text if words else ""
        if joined in _DOUBLE_SIGNS:
            words[-1] = joined
        else:
            words.append(lexeme.text)

    return tuple(words)


def _text_at(lexemes: Sequence[Lexeme], index: int) -> str:
    return lexemes[index].text if index < len(lexemes) else ""


def _find_statement_end(source: SourceText, start: int) -> int:
    """Return the position of the last token of the statement that begins at one."""
    lexemes = source.lexemes
    if _text_at(lexemes, start) == "{":
        return source.find_closing_bracket(start)

    position = start
    while position < len(lexemes) and lexemes[position].text != ";":
        closing = source.find_closing_bracket(position)
        position = max(position, closing) + 1

    return position


def _list_ways(words: _Words, holds: bool) -> tuple[Mapping[str, str], ...]:
    """Return the ways to fulfil a condition.

    Of a condition that must not hold they are told only where it is a single comparison.
    """
    # `A && B || C` is fulfilled by A with B, or by C
    condition = _strip_brackets(words)
    alternatives: list[list[_Words]] = []

    for alternative in _split_at(condition, "||"):
        terms = _split_at(_strip_brackets(alternative), "&&")
        alternatives.append(terms)

    # `if constexpr ()`, which broken text may hold
    if not alternatives:
        return ()

    is_single_term = len(alternatives) == 1 and len(alternatives[0]) <= 1
    if not holds and not is_single_term:
        return ()

    ways: list[Mapping[str, str]] = []
    for terms in alternatives:
        values: dict[str, str] = {}
        for term in terms:
            values.update(_iter_values(term, holds))

        if values:
            ways.append(values)

    return tuple(ways)


def _iter_values(term: _Words, holds: bool) -> Iterator[tuple[str, str]]:
    """Yield the names of a term, each with the value that makes the term true, or false.

    Of a comparison either side may be the name of a parameter.
    """
    term = _strip_brackets(term)
    is_negated = term[:1] == ("!",)
    operand = term[1:] if is_negated else term

    # `Flag` or `!Flag`
    if _is_single_name(operand):
        is_true = holds != is_negated
        yield operand[0], _TRUTH_WORDS[is_true]

    # `Mode == kSum` tells a value where it holds, `Mode != kSum` where it does not
    sign = "==" if holds else "!="
    sides = _split_at(term, sign)
    if len(sides) != 2:
        return

    first, second = sides
    if _is_single_name(first):
        yield first[0], "".join(second)
    if _is_single_name(second):
        yield second[0], "".join(first)


def _is_single_name(words: _Words) -> bool:
    return len(words) == 1 and words[0].isidentifier()


def _strip_brackets(words: _Words) -> _Words:
    """Return what stands in the brackets round all of it.

    Brackets are not matched: `(a) && (b)` becomes `a) && (b`, in which neither term is told.
    """
    while words[:1] == ("(",) and words[-1:] == (")",):
        words = words[1:-1]

    return words


def _split_at(words: _Words, sign: str) -> list[_Words]:
    """Return what stands between the signs that no bracket is round, without empty parts."""
    return [tuple(part) for part in split_words(words, sign) if part]
