"""Run small functions of host code on numbers: `int grid_for(int n) { return …; }`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind
from crawler.validate.evidence.host_definitions import iter_definitions
from crawler.validate.evidence.host_program.host_function import HostFunction, Words

Number = int | float
Value = Number | tuple[Number, ...]
Evaluator = Callable[[str, dict[str, Number]], Value | None]
"""Gives the value of an expression, with what its variables are."""
_MAX_STEPS: Final = 2000
"""Statements that one call may run."""
_CHECKS: Final = frozenset({"assert", "static_assert", "TORCH_CHECK", "CHECK"})
_COMPOUND_SIGNS: Final = frozenset("+-*/%&|^")
_JUMPS: Final = frozenset(
    {"switch", "do", "goto", "try", "break", "continue", "throw", "case"}
)
_AXES: Final = "xyz"


class _UnknownError(Exception):
    """A function does what is not understood."""


def call_function(
    function: HostFunction, arguments: Sequence[Value], evaluate: Evaluator
) -> Value | None:
    """Return what a function makes of values; `None` where that is not certain."""
    if len(arguments) != len(function.parameters):
        return None

    values: dict[str, Number] = {}
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        _store(values, parameter.name, argument)

    call = _FunctionCall(values, evaluate)
    try:
        return call.run(function.body)
    except (_UnknownError, RecursionError):
        return None


def _store(values: dict[str, Number], name: str, value: Value) -> None:
    if isinstance(value, tuple):
        for axis, extent in zip(_AXES, value, strict=False):
            values[f"{name}.{axis}"] = extent
    else:
        values[name] = value


class _FunctionCall:
    """The variables of one call, and how many statements it ran."""

    def __init__(self, values: dict[str, Number], evaluate: Evaluator) -> None:
        self._values = values
        self._evaluate = evaluate
        self._steps = 0

    def run(self, words: Words) -> Value | None:
        """Run statements; return what they return, `None` where they do not."""
        position = 0
        while position < len(words):
            end = _find_statement_end(words, position)
            value = self._run_statement(words[position:end])
            if value is not None:
                return value
            position = end

        return None

    def _run_statement(self, words: Words) -> Value | None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _UnknownError

        first = words[0].text
        if first in _JUMPS:
            raise _UnknownError
        if first == "{":
            return self.run(words[1:-1])
        if first == "return":
            return self._read_value(words[1:-1])
        if first == "if":
            return self._run_condition(words)
        if first == "while":
            return self._run_loop(words, ())
        if first == "for":
            return self._run_for(words)
        if first not in _CHECKS and len(words) > 1:
            self._assign(words[:-1])

        return None

    def _run_condition(self, words: Words) -> Value | None:
        opening = 2 if words[1].text == "constexpr" else 1
        closing = _find_closing(words, opening)
        branch_end = _find_statement_end(words, closing + 1)
        if self._read_number(words[opening + 1 : closing]):
            return self._run_statement(words[closing + 1 : branch_end])
        # behind `else`
        if branch_end < len(words):
            return self._run_statement(words[branch_end + 1 :])

        return None

    def _run_for(self, words: Words) -> Value | None:
        closing = _find_closing(words, 1)
        parts: list[list[Token]] = [[]]
        for word in words[2:closing]:
            if word.text == ";":
                parts.append([])
            else:
                parts[-1].append(word)

        if len(parts) != 3 or not parts[1]:
            raise _UnknownError

        self._assign(parts[0])
        loop = [words[0], words[1], *parts[1], *words[closing:]]
        return self._run_loop(loop, parts[2])

    def _run_loop(self, words: Words, step: Words) -> Value | None:
        closing = _find_closing(words, 1)
        while self._read_number(words[2:closing]):
            value = self._run_statement(words[closing + 1 :])
            if value is not None:
                return value
            for part in split_tokens(step):
                self._assign(part)

        return None

    def _assign(self, words: Words) -> None:
        """Run a declaration or an assignment."""
        if not words:
            return
        if self._change(words):
            return

        definitions = list(iter_definitions(list(words)))
        if not definitions and any(word.text in ("(", "=") for word in words):
            raise _UnknownError

        for name, expression in definitions:
            value = self._evaluate(expression, self._values)
            if value is None:
                raise _UnknownError
            _store(self._values, name, value)

    def _change(self, words: Words) -> bool:
        """Run `n++`, `n += 4` or `n <<= 1`; tell whether it is one of those."""
        texts = [word.text for word in words]
        if texts[:2] in (["+", "+"], ["-", "-"]):
            texts = [*texts[2:], *texts[:2]]
        if words[0].kind is not TokenKind.NAME and texts[0] not in self._values:
            return False
        if texts[1:] in (["+", "+"], ["-", "-"]):
            texts = [texts[0], texts[1], "=", "1"]

        name, sign = texts[0], "".join(texts[1:3])
        width = 1
        if sign in ("<<", ">>"):
            width = 2
        elif texts[1:2] == [] or texts[1] not in _COMPOUND_SIGNS:
            return False
        if texts[1 + width : 2 + width] != ["="]:
            return False

        operation = "".join(texts[1 : 1 + width])
        operand = " ".join(texts[2 + width :])
        value = self._evaluate(f"{name} {operation} ({operand})", self._values)
        if value is None:
            raise _UnknownError
        _store(self._values, name, value)

        return True

    def _read_value(self, words: Words) -> Value:
        text = " ".join(word.text for word in words)
        extents = [self._values.get(f"{text}.{axis}") for axis in _AXES]
        if any(extent is not None for extent in extents):
            return tuple(1 if extent is None else extent for extent in extents)

        value = self._evaluate(text, self._values)
        if value is None:
            raise _UnknownError

        return value

    def _read_number(self, words: Words) -> Number:
        value = self._read_value(words)
        return value[0] if isinstance(value, tuple) else value


def _find_closing(words: Words, opening: int) -> int:
    is_open = opening < len(words) and words[opening].text == "("
    closing = closing_token(words, opening) if is_open else -1
    if closing < 0 or closing + 1 >= len(words):
        raise _UnknownError
    return closing


def _find_statement_end(words: Words, begin: int) -> int:
    """Return the position behind the statement that begins there."""
    if begin >= len(words):
        raise _UnknownError

    first = words[begin].text
    if first == "{":
        return closing_token(words, begin) + 1 or _raise_unknown()

    if first in ("if", "for", "while"):
        opening = begin + 1
        if opening < len(words) and words[opening].text == "constexpr":
            opening += 1
        end = _find_statement_end(words, _find_closing(words, opening) + 1)
        has_else = first == "if" and end < len(words) and words[end].text == "else"
        return _find_statement_end(words, end + 1) if has_else else end

    depth = 0
    for position in range(begin, len(words)):
        text = words[position].text
        depth += (text in "([{") - (text in ")]}")
        if text == ";" and depth == 0:
            return position + 1

    raise _UnknownError


def _raise_unknown() -> int:
    raise _UnknownError
