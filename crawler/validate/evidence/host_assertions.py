"""Assertions of host code about sizes, and values of variables that satisfy them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize
from crawler.validate.evidence.expression import (
    MAX_TOKENS,
    Expression,
    Operation,
    parse_expression,
)

_ASSERTED: Final = re.compile(
    r"(?i)(?:^|_)i?d?(?:check|assert|require|enforce|expect)s?(?:m|_?(eq|ge|gt|le|lt))?$"
)
_NO_SIZE: Final = re.compile(
    r"(?i)^(?:static_assert|cuda_?check|hip_?check|\w*cuda\w*_check)$"
)
_SIGNS: Final = {"EQ": "==", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"}
_TURNED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}
_MOST: Final = 200
"""Conditions of one text: a bound, since its author is a stranger."""
_LARGEST: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class ConditionScope:
    """What is known of expressions while a launch is configured."""

    value: Callable[[Expression], int | float | None]
    variable: Callable[[Expression], str]
    """The free variable that an expression is; empty for any other."""


def find_host_assertions(text: str) -> tuple[Expression, ...]:
    """Return what a text asserts, each of what it asserts at once by itself."""
    return tuple(islice(_conditions(text), _MOST))


def _conditions(text: str) -> Iterator[Expression]:
    words = [
        each
        for each in tokenize(text)
        if each.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]
    for at in range(len(words) - 1):
        asserts = (
            _ASSERTED.search(words[at].text)
            if words[at].kind is TokenKind.NAME
            else None
        )
        if (
            asserts is None
            or words[at + 1].text != "("
            or _NO_SIZE.match(words[at].text)
        ):
            continue
        given = _arguments(words, at + 2)
        sign = _SIGNS.get((asserts[1] or "").upper(), "")
        written = (
            f"({given[0]}) {sign} ({given[1]})" if sign and len(given) > 1 else given[0]
        )
        yield from _parts(parse_expression(written))


def _arguments(words: Sequence[Token], begin: int) -> list[str]:
    """Return the arguments of a call; texts count as true, as in `assert(a && "why")`."""
    end = begin + MAX_TOKENS
    closing = closing_token(words, begin - 1, end)
    given = split_tokens(words[begin : closing if closing >= 0 else end])
    return [
        " ".join("1" if each.kind is TokenKind.STRING else each.text for each in one)
        for one in given
    ]


def _parts(tree: Expression | None) -> Iterator[Expression]:
    if isinstance(tree, Operation) and tree.sign == "&&":
        yield from (part for each in tree.operands for part in _parts(each))
    elif isinstance(tree, Operation):
        yield tree


def values_to_satisfy(condition: Expression, scope: ConditionScope) -> dict[str, int]:
    """Return values of free variables with which a condition holds; none where it does, or
    nobody knows.
    """
    if not isinstance(condition, Operation) or scope.value(condition) != 0:
        return {}
    return _needed(condition, scope)


def _needed(tree: Expression, seen: ConditionScope) -> dict[str, int]:
    if not isinstance(tree, Operation):
        return {}
    if tree.sign == "!":
        return _multiple(tree.operands[0], seen)
    if tree.sign == "&&":
        return _needed(tree.operands[0], seen) | _needed(tree.operands[1], seen)
    if tree.sign == "||":
        return next(filter(None, (_needed(each, seen) for each in tree.operands)), {})
    if tree.sign not in _TURNED:
        return {}
    left, right = tree.operands
    return _compared(left, tree.sign, right, seen) or _compared(
        right, _TURNED[tree.sign], left, seen
    )


def _compared(
    left: Expression, sign: str, right: Expression, seen: ConditionScope
) -> dict[str, int]:
    to = _whole(seen.value(right))
    if to is None:
        return {}
    if sign == "==" and to == 0:
        return _multiple(left, seen)
    wanted = to + {"<": -1, ">": 1}.get(sign, 0)
    if isinstance(left, Operation) and left.sign == "/" and sign in ("==", ">=", ">"):
        by = _whole(seen.value(left.operands[1]))
        left, wanted = left.operands[0], wanted * (by or 0)
    name = seen.variable(left)
    return {name: wanted} if name and 0 < wanted <= _LARGEST else {}


def _multiple(tree: Expression, seen: ConditionScope) -> dict[str, int]:
    """Return what makes a remainder nothing."""
    if not isinstance(tree, Operation) or tree.sign != "%":
        return {}
    value, divisor = (_whole(seen.value(each)) for each in tree.operands)
    name = seen.variable(tree.operands[0])
    if not name or value is None or divisor is None or not 0 < divisor <= _LARGEST:
        return {}
    return {name: max(1, -(-value // divisor)) * divisor}


def _whole(value: float | None) -> int | None:
    """Return a number without its fraction; `None` for what is infinite or no number, as a
    stranger may write it.
    """
    return int(value) if value is not None and math.isfinite(value) else None
