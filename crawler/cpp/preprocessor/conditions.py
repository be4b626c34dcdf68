"""Evaluate the conditions of `#if`, as far as what is known of macros tells their outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Protocol

# a condition without comments; the lexer would cut `&&` and `>=` in two
_TOKEN: Final = re.compile(r"&&|\|\||[<>=!]=|[<>!()]|\w+|\S")
_NUMBER: Final = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
ALTERNATIVE_TOKENS: Final = {"and": "&&", "or": "||", "not": "!"}
"""Words that are operators, by [lex.digraph]."""
_MAX_NESTING: Final = 60
_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}

MacroValue = int | None
"""A number, zero for false, or `None` where nobody knows."""


class MacroLookup(Protocol):
    """What is known of macros."""

    def is_defined(self, name: str) -> MacroValue:
        """Return whether a macro is defined."""
        ...

    def value(self, name: str) -> MacroValue:
        """Return what a macro stands for."""
        ...


def evaluate_condition(text: str, macros: MacroLookup) -> MacroValue:
    """Return what the condition of an `#if` comes to; `None` for one that is not understood."""
    words = [ALTERNATIVE_TOKENS.get(word, word) for word in _TOKEN.findall(text)]
    return _Condition(words, macros).evaluate()


def negate(value: MacroValue) -> MacroValue:
    """Return `!value`."""
    return None if value is None else int(not value)


def both(first: MacroValue, second: MacroValue) -> MacroValue:
    """Return `first && second`, which is false where either is."""
    if first == 0 or second == 0:
        return 0

    return None if first is None or second is None else 1


def either(first: MacroValue, second: MacroValue) -> MacroValue:
    """Return `first || second`, which is true where either is."""
    return negate(both(negate(first), negate(second)))


class _Condition:
    """A condition, read from the left; what is not understood is not known."""

    def __init__(self, words: Sequence[str], macros: MacroLookup) -> None:
        self._words = iter((*words, ""))
        self._macros = macros
        self._word = next(self._words)
        self._depth = 0

    def evaluate(self) -> MacroValue:
        value = self._evaluate_any()
        return None if self._word else value

    def _advance(self) -> str:
        word = self._word
        self._word = next(self._words, "")
        return word

    def _evaluate_any(self) -> MacroValue:
        value = self._evaluate_all()
        while self._word == "||":
            self._advance()
            value = either(value, self._evaluate_all())

        return value

    def _evaluate_all(self) -> MacroValue:
        value = self._evaluate_comparison()
        while self._word == "&&":
            self._advance()
            value = both(value, self._evaluate_comparison())

        return value

    def _evaluate_comparison(self) -> MacroValue:
        first = self._evaluate_operand()
        if self._word not in _COMPARISONS:
            return first

        compare = _COMPARISONS[self._advance()]
        second = self._evaluate_operand()
        if first is None or second is None:
            return None

        return int(compare(first, second))

    def _evaluate_operand(self) -> MacroValue:
        word = self._advance()
        if word in ("!", "("):
            return self._evaluate_nested(word)
        if word == "defined":
            return self._macros.is_defined(self._read_defined_name())

        number = _NUMBER.fullmatch(word)
        if number is None:
            return self._macros.value(word)

        digits = number[1]
        # e.g. `010` is ten here: `int(…, 0)` takes no leading zeros
        return int(digits, 0) if digits[:2] in ("0x", "0X") else int(digits)

    def _evaluate_nested(self, sign: str) -> MacroValue:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            return None
        if sign == "!":
            return negate(self._evaluate_operand())

        value = self._evaluate_any()
        return value if self._advance() == ")" else None

    def _read_defined_name(self) -> str:
        if self._word != "(":
            return self._advance()

        self._advance()
        name = self._advance()
        return name if self._advance() == ")" else ""
