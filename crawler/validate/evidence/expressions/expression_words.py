"""Words of host expressions: numbers, and what types are spelled with."""

from __future__ import annotations

import re
from typing import Final

from crawler.validate.evidence.expressions.expression_tree import Number

TYPE_WORDS: Final = frozenset(
    [
        "unsigned",
        "signed",
        "int",
        "long",
        "short",
        "char",
        "float",
        "double",
        "bool",
        "size_t",
        "ssize_t",
        "auto",
        "const",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "uint",
        "ulong",
        "ushort",
        "uchar",
    ]
)
# one token
_INTEGER: Final = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")


class ExpressionSyntaxError(ValueError):
    """The text is none that sizes are computed with."""


def parse_number(text: str) -> Number:
    """Return the number that a literal is, without its suffix.

    Raises `ExpressionSyntaxError` for what no compiler takes, e.g. `08`.
    """
    integer = _INTEGER.fullmatch(text)

    try:
        if integer is None:
            return Number(float(text.replace("'", "").rstrip("fFlL")))

        digits = integer[1].replace("'", "")
        is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdecimal()

        return Number(int(digits, 8 if is_octal else 0))
    except ValueError as error:
        raise ExpressionSyntaxError(text) from error
