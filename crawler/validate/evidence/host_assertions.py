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
from crawler.validate.evidence.expressions.expression import (
    MAX_TOKENS,
    parse_expression,
)
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Operation,
)
from crawler.validate.evidence.host_types import CASTS

# e.g. `assert`, `TORCH_CHECK`, `PADDLE_ENFORCE_EQ`, `CHECK_GE`, `AT_ASSERTM`
_ASSERTION: Final = re.compile(
    r"(?i)(?:^|_)i?d?(?:check|assert|require|enforce|expect)s?(?:m|_?(eq|ge|gt|le|lt))?$"
)
_OTHER_CHECK: Final = re.compile(
    r"(?i)^(?:static_assert|cuda_?check|hip_?check|\w*cuda\w*_check)$"
)
"""What checks no size: the status of a call, or what a compiler knows."""
_SIGNS: Final = {"EQ": "==", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"}
_REFUSING_WORDS: Final = ("return", "throw")
_NEGATED_SIGNS: Final = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "&&": "||",
    "||": "&&",
}
_MIRRORED_SIGNS: Final = {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
}
_EXCLUDED_STEP: Final = 2
"""How far a size is chosen above the one number that a condition excludes: 3 for `n != 1`."""
_MAX_CONDITIONS: Final = 200
"""Conditions of one text: a bound, since its author is a stranger."""
_MAX_VALUE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class ConditionScope:
    """What is known of expressions while a launch is configured."""

    value: Callable[[Expression], int | float | None]
    variable: Callable[[Expression], str]
    """The free variable that an expression is; empty for any other."""
    define: Callable[[Expression], Expression] = lambda tree: tree
    """The definition of a name; any other expression itself."""


def find_host_assertions(text: str) -> tuple[Expression, ...]:
    """Return what a text asserts, each of what it asserts at once by itself."""
    return tuple(islice(_iter_conditions(text), _MAX_CONDITIONS))


def find_host_refusals(text: str) -> tuple[Expression, ...]:
    """Return what holds behind a text for its `if (…) return` and `if (…) throw`, each of what
    one of them asks for by itself.
    """
    return tuple(islice(_iter_refusals(text), _MAX_CONDITIONS))


def read_launch_conditions(conditions: Sequence[str]) -> tuple[Expression, ...]:
    """Return the comparisons that hold where a launch is reached: of `!(columns == 1 || !rows)`
    that `columns != 1`.
    """
    return tuple(islice(_iter_comparisons(conditions), _MAX_CONDITIONS))


def _iter_comparisons(conditions: Sequence[str]) -> Iterator[Expression]:
    for text in conditions:
        tree = parse_expression(text)
        if isinstance(tree, Operation) and tree.sign == "!":
            tree = _negate(tree.operands[0])
        for part in _split_conjunction(tree):
            if isinstance(part, Operation) and part.sign in _MIRRORED_SIGNS:
                yield part


def _iter_refusals(text: str) -> Iterator[Expression]:
    words = _list_words(text)

    for position in range(len(words) - 1):
        if words[position].text != "if" or words[position + 1].text != "(":
            continue

        begin = position + 2
        closing = closing_token(words, begin - 1, begin + MAX_TOKENS)
        if closing < 0:
            continue

        following = [word.text for word in words[closing + 1 : closing + 3]]
        if following[:1] == ["{"]:
            following = following[1:]
        if not following or following[0] not in _REFUSING_WORDS:
            continue

        refused = parse_expression(_join_words(words[begin:closing]))
        yield from _split_conjunction(_negate(refused) if refused else None)


def _negate(tree: Expression) -> Expression:
    """Return what holds where a condition does not."""
    if not isinstance(tree, Operation):
        return Operation("!", (tree,))
    if tree.sign == "!":
        return tree.operands[0]

    sign = _NEGATED_SIGNS.get(tree.sign, "")
    # a number that is not to be true, such as a rest, is to be nothing
    if not sign or len(tree.operands) != 2:
        return Operation("!", (tree,))

    operands = tree.operands
    if sign in ("&&", "||"):
        operands = (_negate(operands[0]), _negate(operands[1]))

    return Operation(sign, operands)


def _list_words(text: str) -> list[Token]:
    return [
        token
        for token in tokenize(text)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]


def _iter_conditions(text: str) -> Iterator[Expression]:
    words = _list_words(text)

    for position in range(len(words) - 1):
        word = words[position]
        if word.kind is not TokenKind.NAME or words[position + 1].text != "(":
            continue

        assertion = _ASSERTION.search(word.text)
        if assertion is None or _OTHER_CHECK.match(word.text):
            continue

        arguments = _read_arguments(words, position + 2)
        condition = arguments[0]
        # `CHECK_GE(a, b)` takes two arguments, `TORCH_CHECK(a >= b, "…")` one and a message
        sign = _SIGNS.get((assertion[1] or "").upper(), "")
        if sign and len(arguments) > 1:
            condition = f"({arguments[0]}) {sign} ({arguments[1]})"

        yield from _split_conjunction(parse_expression(condition))


def _read_arguments(words: Sequence[Token], begin: int) -> list[str]:
    """Return the arguments of a call; texts count as true, as in `assert(a && "why")`."""
    limit = begin + MAX_TOKENS
    closing = closing_token(words, begin - 1, limit)
    end = closing if closing >= 0 else limit
    return [_join_words(argument) for argument in split_tokens(words[begin:end])]


def _join_words(words: Sequence[Token]) -> str:
    texts = ["1" if word.kind is TokenKind.STRING else word.text for word in words]
    return " ".join(texts)


def _split_conjunction(tree: Expression | None) -> Iterator[Expression]:
    if not isinstance(tree, Operation):
        return
    if tree.sign != "&&":
        yield tree
        return

    for operand in tree.operands:
        yield from _split_conjunction(operand)


def values_to_satisfy(condition: Expression, scope: ConditionScope) -> dict[str, int]:
    """Return values of free variables with which a condition holds; none where it does, or
    nobody knows.
    """
    if not isinstance(condition, Operation) or scope.value(condition) != 0:
        return {}
    return _satisfy(condition, scope)


def _satisfy(tree: Expression, scope: ConditionScope) -> dict[str, int]:
    if not isinstance(tree, Operation):
        return {}
    if tree.sign == "!":
        return _satisfy_multiple(tree.operands[0], scope)

    if tree.sign == "&&":
        first = _satisfy(tree.operands[0], scope)
        return first | _satisfy(tree.operands[1], scope)

    if tree.sign == "||":
        for operand in tree.operands:
            values = _satisfy(operand, scope)
            if values:
                return values
        return {}

    if tree.sign not in _MIRRORED_SIGNS:
        return {}

    left_side, right_side = tree.operands
    values = _satisfy_comparison(left_side, tree.sign, right_side, scope)
    if values:
        return values

    return _satisfy_comparison(right_side, _MIRRORED_SIGNS[tree.sign], left_side, scope)


def _satisfy_comparison(
    left_side: Expression, sign: str, right_side: Expression, scope: ConditionScope
) -> dict[str, int]:
    """Return the value of the variable the left side with which a comparison holds."""
    # the other side must be known: a variable cannot be held against another
    bound = _to_whole(scope.value(right_side))
    if bound is None:
        return {}
    if sign == "==" and bound == 0:
        return _satisfy_multiple(left_side, scope)

    value = bound + {"<": -1, ">": 1, "!=": _EXCLUDED_STEP}.get(sign, 0)
    left_side = _drop_cast(scope.define(_drop_cast(left_side)))

    if (
        isinstance(left_side, Operation)
        and left_side.sign == "/"
        and sign in ("==", "!=", ">=", ">")
    ):
        # `n / 32 >= 2` asks for 64
        divisor = _to_whole(scope.value(left_side.operands[1]))
        left_side = _drop_cast(left_side.operands[0])
        value *= divisor or 0

    variable = scope.variable(left_side)

    return {variable: value} if variable and 0 < value <= _MAX_VALUE else {}


def _satisfy_multiple(tree: Expression, scope: ConditionScope) -> dict[str, int]:
    """Return what makes a remainder nothing."""
    tree = _drop_cast(tree)
    if not isinstance(tree, Operation) or tree.sign != "%":
        return {}

    value = _to_whole(scope.value(tree.operands[0]))
    divisor = _to_whole(scope.value(tree.operands[1]))
    variable = scope.variable(_drop_cast(tree.operands[0]))
    if not variable or value is None or divisor is None:
        return {}
    if not 0 < divisor <= _MAX_VALUE:
        return {}

    return {variable: max(1, -(-value // divisor)) * divisor}


def _drop_cast(tree: Expression) -> Expression:
    """Return what a cast is written round, as in `int64_t(n)`; any other expression itself."""
    is_cast = isinstance(tree, Call) and tree.callee.rpartition("::")[2] in CASTS
    if isinstance(tree, Call) and is_cast and len(tree.arguments) == 1:
        return tree.arguments[0]
    return tree


def _to_whole(value: float | None) -> int | None:
    """Return a number without its fraction; `None` for what is infinite or no number, as a
    stranger may write it.
    """
    if value is None or not math.isfinite(value):
        return None
    return int(value)
