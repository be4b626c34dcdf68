"""Constants that a source defines, and values that its kernel compares parameters with.

Read with regular expressions: a kernel's unit may be incomplete, nothing here must be exact, and
a wrong value costs one further case at most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression

# a unit as it is written, in the state that it has: all that is read are guesses of values, each
# of which is tried
_MACRO: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n\\]{1,120})$", re.MULTILINE
)
_CONSTANT: Final = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+|long\s+|std::)*"
    r"(?:int|long|short|unsigned|size_t|u?int\d+_t|auto|float|double|bool|uint)\s+(\w+)"
    r"\s*(?:=\s*|\{)([^;{}]{1,120})\}?\s*;"
)
_ENUM: Final = re.compile(
    r"\benum\s*(?:class\s*|struct\s*)?(\w*)\s*(?::\s*\w+\s*)?\{([^{}]{0,4000})\}"
)
_ZERO_TEST: Final = (
    r"(?:\bif\s*\(\s*|!\s*|&&\s*|\|\|\s*)\(?\s*(?<![\w.]){0}\s*\)?\s*(?:\)|&&|\|\||\?)"
    r"|(?<![\w.]){0}\s*\)?\s*\?"
    r"|(?<![\w.]){0}\s*[!=]=\s*(?:NULL|nullptr)\b|\b(?:NULL|nullptr)\s*[!=]=\s*{0}\b"
)
_ARITHMETIC_SIGN: Final = r"[*/%+<>-]"
# the same text, near a parameter's name
_ARITHMETIC_BEFORE: Final = re.compile(r"[-*/%+]\s*\(?\s*$")
_ELEMENT_COMPARISON: Final = re.compile(r"\]\s*([!=]=|[<>]=?)\s*(-?\d{1,9})(?![\w.])")
_CASE_LABEL: Final = re.compile(r"\bcase\s+([\w:]+)\s*:")
_LOOKBACK: Final = 40
"""Characters in front of a comparison within which arithmetic with its operand stands."""
_MAX_CONSTANTS: Final = 2000
_MAX_VALUES: Final = 6


def find_constants(source: str) -> Iterator[tuple[str, str]]:
    """Yield the macros without parameters, the constants and the enumerators of a source, with
    their expressions.
    """
    yield from islice(_iter_constants(source), _MAX_CONSTANTS)


def _iter_constants(source: str) -> Iterator[tuple[str, str]]:
    for macro in _MACRO.finditer(source):
        yield macro[1], macro[2].partition("//")[0].strip()

    for constant in _CONSTANT.finditer(source):
        yield constant[1], constant[2].strip()

    for enumeration in _ENUM.finditer(source):
        yield from _iter_enumerators(enumeration[1], enumeration[2])


def _iter_enumerators(enumeration: str, body: str) -> Iterator[tuple[str, str]]:
    value = "0"
    for enumerator in without_comments(body).split(","):
        before_equals, equals, behind_equals = enumerator.partition("=")
        name = before_equals.strip()
        if not name:
            continue

        if equals:
            value = behind_equals.strip()

        yield name, value
        if enumeration:
            yield f"{enumeration}::{name}", value

        # an enumerator without a value is one more than the one before
        value = f"({value}) + 1"


def find_equality_values(
    source: str, parameters: Sequence[str], definitions: dict[str, str]
) -> dict[str, tuple[int, ...]]:
    """Return, for each of `parameters`, the whole numbers that `source` compares it with for
    equality.
    """
    values_by_name: dict[str, tuple[int, ...]] = {}

    for name in parameters:
        values = tuple(dict.fromkeys(_iter_equality_values(source, name, definitions)))
        if values:
            values_by_name[name] = values[:_MAX_VALUES]

    return values_by_name


def find_flag_parameters(source: str, parameters: Sequence[str]) -> tuple[str, ...]:
    """Return those of `parameters` that `source` asks whether they are 0: flags, and pointers
    that may be null.
    """
    return tuple(
        name
        for name in parameters
        if re.search(_ZERO_TEST.format(re.escape(name)), source)
    )


def find_arithmetic_parameters(
    source: str, parameters: Sequence[str]
) -> tuple[str, ...]:
    """Return those of `parameters` that `source` computes with: no flags, whatever it asks of
    them.
    """
    sign = _ARITHMETIC_SIGN
    names: list[str] = []

    for name in parameters:
        word = re.escape(name)
        pattern = rf"{sign}\s*{word}\b|(?<![\w.]){word}\s*{sign}(?![=>])"
        if re.search(pattern, source):
            names.append(name)

    return tuple(names)


def find_threshold_values(
    source: str, parameters: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """Return, for each of `parameters`, whole numbers around those that `source` holds it to be
    more or less than.
    """
    values_by_name: dict[str, tuple[int, ...]] = {}

    for name in parameters:
        pattern = rf"(?<![\w.]){re.escape(name)}\s*[<>]=?\s*(-?\d{{1,6}})(?![\w.])"
        values: list[int] = []

        for text in dict.fromkeys(re.findall(pattern, source)):
            threshold = int(text)
            values += [threshold, threshold + 1, threshold - 1]

        if values:
            values_by_name[name] = tuple(dict.fromkeys(values))[:_MAX_VALUES]

    return values_by_name


def find_element_values(source: str) -> tuple[int, ...]:
    """Return the whole numbers that a source compares elements of arrays with, and those to the
    other side of them.
    """
    values: list[int] = []
    beyond: list[int] = []

    for sign, text in _ELEMENT_COMPARISON.findall(source):
        value = int(text)
        values.append(value)

        if sign == ">":
            beyond.append(value + 1)
        elif sign in ("<", ">="):
            beyond.append(value - 1)

    return tuple(dict.fromkeys((*values, *beyond)))[:_MAX_VALUES]


def _iter_equality_values(
    source: str, name: str, definitions: dict[str, str]
) -> Iterator[int]:
    scope = EvaluationScope(
        resolve_free=lambda _text, _names: math.nan, definitions=definitions
    )
    word = rf"(?<![\w.]){re.escape(name)}"
    comparison = rf"{word}\s*[!=]=\s*([A-Za-z_][\w:]*|-?\d+)(?![\w.(])"

    for match in re.finditer(comparison, source):
        # `size % name == 0` compares a remainder
        lookback = max(0, match.start() - _LOOKBACK)
        if _ARITHMETIC_BEFORE.search(source, lookback, match.start()):
            continue

        value = _evaluate_constant(match[1], scope)
        if value is not None:
            yield value

    switch = re.search(rf"switch\s*\(\s*(?:\(\w+\)\s*)?{word}\s*\)", source)
    # the labels of every switch behind it count: a case too many does no harm
    if switch is None:
        return

    for label in _CASE_LABEL.finditer(source[switch.end() :]):
        value = _evaluate_constant(label[1], scope)
        if value is not None:
            yield value


def _evaluate_constant(text: str, scope: EvaluationScope) -> int | None:
    """Return the whole number of 32 bits that a constant is; `None` for any other."""
    value = to_number(evaluate(parse_expression(text), scope))
    if isinstance(value, int) and abs(value) < 1 << 31:
        return value

    return None
