"""Constants that a source defines, and values that its kernel compares parameters with."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from crawler.validate.evidence.evaluation import EvaluationScope, evaluate, to_number
from crawler.validate.evidence.expression import parse_expression

_MACRO: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n\\]{1,120})$", re.MULTILINE
)
_CONSTANT: Final = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+|long\s+|std::)*"
    r"(?:int|long|short|unsigned|size_t|u?int\d+_t|auto|float|double|bool|uint)\s+(\w+)\s*(?:=\s*|\{)([^;{}]{1,120})\}?\s*;"
)
_ENUM: Final = re.compile(
    r"\benum\s*(?:class\s*|struct\s*)?(\w*)\s*(?::\s*\w+\s*)?\{([^{}]{0,4000})\}"
)
_ASKED: Final = (
    r"(?:\bif\s*\(\s*|!\s*|&&\s*|\|\|\s*)\(?\s*(?<![\w.]){0}\s*\)?\s*(?:\)|&&|\|\||\?)"
    r"|(?<![\w.]){0}\s*\)?\s*\?|(?<![\w.]){0}\s*[!=]=\s*(?:NULL|nullptr)\b|\b(?:NULL|nullptr)\s*[!=]=\s*{0}\b"
)
_COMPUTED: Final = re.compile(r"[-*/%+]\s*\(?\s*$")
_REACH: Final = 40
_MOST: Final = 2000
_MOST_VALUES: Final = 6


def find_constants(source: str) -> Iterator[tuple[str, str]]:
    """Yield the macros without parameters, the constants and the enumerators of a source, with
    their expressions.
    """
    yield from islice(_written(source), _MOST)


def _written(source: str) -> Iterator[tuple[str, str]]:
    for found in _MACRO.finditer(source):
        yield found[1], found[2].partition("//")[0].strip()
    for found in _CONSTANT.finditer(source):
        yield found[1], found[2].strip()
    for found in _ENUM.finditer(source):
        yield from _enumerators(found[1], found[2])


def _enumerators(enumeration: str, inside: str) -> Iterator[tuple[str, str]]:
    value = "0"
    for each in re.sub(r"//[^\n]*|/\*.*?\*/", "", inside, flags=re.DOTALL).split(","):
        name, equals, given = (part.strip() for part in each.partition("="))
        if not name:
            continue
        value = given if equals else value
        yield name, value
        if enumeration:
            yield f"{enumeration}::{name}", value
        value = f"({value}) + 1"


def find_equality_values(
    source: str, parameters: Sequence[str], definitions: dict[str, str]
) -> dict[str, tuple[int, ...]]:
    """Return, for each of `parameters`, the whole numbers that `source` compares it with for
    equality.
    """
    found: dict[str, tuple[int, ...]] = {}
    for name in parameters:
        values = dict.fromkeys(_values(source, name, definitions))
        if values:
            found[name] = tuple(values)[:_MOST_VALUES]
    return found


def find_flag_parameters(source: str, parameters: Sequence[str]) -> tuple[str, ...]:
    """Return those of `parameters` that `source` asks whether they are 0: flags, and pointers
    that may be null.
    """
    return tuple(
        name for name in parameters if re.search(_ASKED.format(re.escape(name)), source)
    )


def find_arithmetic_parameters(
    source: str, parameters: Sequence[str]
) -> tuple[str, ...]:
    """Return those of `parameters` that `source` computes with: no flags, whatever it asks of
    them.
    """
    signs = r"[*/%+<>-]"
    return tuple(
        name
        for name in parameters
        if re.search(
            rf"{signs}\s*{re.escape(name)}\b|(?<![\w.]){re.escape(name)}\s*{signs}(?![=>])",
            source,
        )
    )


def find_threshold_values(
    source: str, parameters: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """Return, for each of `parameters`, whole numbers around those that `source` holds it to be
    more or less than.
    """
    found: dict[str, tuple[int, ...]] = {}
    for name in parameters:
        told = re.findall(
            rf"(?<![\w.]){re.escape(name)}\s*[<>]=?\s*(-?\d{{1,6}})(?![\w.])", source
        )
        values = [int(each) + by for each in dict.fromkeys(told) for by in (0, 1, -1)]
        if values:
            found[name] = tuple(dict.fromkeys(values))[:_MOST_VALUES]
    return found


def find_element_values(source: str) -> tuple[int, ...]:
    """Return the whole numbers that a source compares elements of arrays with, and those to the
    other side of them.
    """
    found = re.findall(r"\]\s*([!=]=|[<>]=?)\s*(-?\d{1,9})(?![\w.])", source)
    values = [int(each) for _, each in found]
    beyond = [
        int(each) + (1 if sign == ">" else -1)
        for sign, each in found
        if sign in ("<", ">", ">=")
    ]
    return tuple(dict.fromkeys((*values, *beyond)))[:_MOST_VALUES]


def _values(source: str, name: str, known: dict[str, str]) -> Iterator[int]:
    scope = EvaluationScope(
        resolve_free=lambda _text, _names: math.nan, definitions=known
    )
    word = rf"(?<![\w.]){re.escape(name)}"
    for found in re.finditer(
        rf"{word}\s*[!=]=\s*([A-Za-z_][\w:]*|-?\d+)(?![\w.(])", source
    ):
        # `size % name == 0` compares a remainder
        if _COMPUTED.search(source, max(0, found.start() - _REACH), found.start()):
            continue
        value = to_number(evaluate(parse_expression(found[1]), scope))
        if isinstance(value, int) and abs(value) < 1 << 31:
            yield value
    switch = re.search(rf"switch\s*\(\s*(?:\(\w+\)\s*)?{word}\s*\)", source)
    for found in re.finditer(
        r"\bcase\s+([\w:]+)\s*:", source[switch.end() :] if switch else ""
    ):
        value = to_number(evaluate(parse_expression(found[1]), scope))
        if isinstance(value, int) and abs(value) < 1 << 31:
            yield value
