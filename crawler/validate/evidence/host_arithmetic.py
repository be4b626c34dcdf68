"""Operators and functions that host code computes sizes with, on numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Real = int | float
_MAX_MAGNITUDE: Final = 1 << 62
_MAX_SHIFT: Final = 63
_MAX_POWER_OF_TWO: Final = 512
"""What a block is rounded up to at most: `next_pow2(n)` mostly asks for its threads."""

# Helpers that projects write anew under ever other names: `ceil_div`, `DIVUP`, `GET_BLOCKS`
_BLOCK_COUNT: Final = re.compile(
    r"(?i)^div(?:ide)?$|ceil_?div|div_?(?:round_?)?up|up_?div|cdiv|divide_?up|blocks|int_?ceil|ceil_?int|grid"
)
_ROUND_UP: Final = re.compile(
    r"(?i)(?:round|align|pad)_?(?:up|to)|next_?multiple|ceil_?to"
)
_ROUND_DOWN: Final = re.compile(r"(?i)round_?down")
_POWER_OF_TWO: Final = re.compile(
    r"(?i)(?:next|ceil|round).*(?:pow|log2)|power_?of_?(?:2|two)"
)
_ROUNDING_FUNCTIONS: Final = (_POWER_OF_TWO, _ROUND_UP, _ROUND_DOWN, _BLOCK_COUNT)
# within the name of such a helper
_DIVISION: Final = re.compile(r"(?i)div")
VECTOR_CONSTRUCTORS: Final = frozenset(
    {
        "dim3",
        "{}",
        *(f"make_{kind}{n}" for kind in ("int", "uint", "float") for n in (2, 3, 4)),
    }
)
"""What makes a vector of numbers: one for each axis."""


def check_magnitude(value: Real) -> Real:
    """Return a number that is no larger than host code computes with.

    Raises `OverflowError` for a larger one.
    """
    if abs(value) > _MAX_MAGNITUDE:
        raise OverflowError
    return value


def _divide(a: Real, b: Real) -> Real:
    """Divide as C does: whole numbers toward zero."""
    if isinstance(a, int) and isinstance(b, int):
        sign = 1 if (a < 0) == (b < 0) else -1
        return abs(a) // abs(b) * sign
    return a / b


def _remainder(a: Real, b: Real) -> Real:
    remainder = math.fmod(a, b)
    return remainder if isinstance(a, float) else int(remainder)


def _shift_left(a: Real, b: Real) -> int:
    if not 0 <= b < _MAX_SHIFT:
        raise OverflowError
    return int(a) << int(b)


OPERATIONS: Final[Mapping[str, Callable[[Real, Real], Real]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": _remainder,
    "<<": _shift_left,
    ">>": lambda a, b: int(a) >> min(max(int(b), 0), _MAX_SHIFT),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
    "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b),
    "^": lambda a, b: int(a) ^ int(b),
}
_TWO_ARGUMENT_FUNCTIONS: Final = frozenset(
    {"min", "max", "MIN", "MAX", "fmin", "fmax", "pow"}
)
"""Every other function of the table takes one number."""
_FUNCTIONS: Final[Mapping[str, Callable[..., Real]]] = {
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
    "MIN": min,
    "MAX": max,
    "abs": abs,
    "ceil": math.ceil,
    "ceilf": math.ceil,
    "floor": math.floor,
    "floorf": math.floor,
    "round": round,
    "sqrt": math.sqrt,
    "sqrtf": math.sqrt,
    "log2": lambda x: math.log2(x) if x > 0 else 0,
    "pow": lambda a, b: float(a) ** min(float(b), 60.0),
}


def apply_prefix(sign: str, value: int | float) -> int | float:
    """Return what `-`, `!` or `~` makes of a number."""
    if sign == "-":
        return -value
    if sign == "!":
        return int(not value)
    return ~int(value)


def to_vector(numbers: list[int | float | None]) -> tuple[int, ...]:
    """Return numbers as whole ones, three at least; 1 stands for what is not known."""
    missing = max(0, 3 - len(numbers))
    padded = [*numbers, *[1] * missing]
    return tuple(1 if number is None else int(number) for number in padded)


def is_known_function(name: str) -> bool:
    """Tell whether a function computes a number that can be told from its name."""
    if name in _FUNCTIONS:
        return True
    return any(pattern.search(name) for pattern in _ROUNDING_FUNCTIONS)


def apply_function(
    name: str, values: Sequence[Real], block_threads: int
) -> Real | None:
    """Return what a known function makes of numbers; `None` for too many or too few of them.

    With one argument, a count of blocks divides by `block_threads`.
    """
    if name in _FUNCTIONS:
        argument_count = 2 if name in _TWO_ARGUMENT_FUNCTIONS else 1
        if len(values) != argument_count:
            return None

        return check_magnitude(_FUNCTIONS[name](*values))

    return _round(name, [int(value) for value in values], block_threads)


def _round(name: str, values: Sequence[int], block_threads: int) -> int | None:
    value = values[0]
    if _POWER_OF_TWO.search(name):
        if value <= 0:
            return 1
        return min(_MAX_POWER_OF_TWO, 1 << max(0, value - 1).bit_length())

    # `GET_BLOCKS(n)` divides by the threads of a block, which it does not name
    if len(values) == 1:
        if not _BLOCK_COUNT.search(name):
            return None
        return -(-value // max(1, block_threads))

    divisor = values[1]
    if divisor <= 0:
        return None
    # `div_round_up(n, 64)` counts, `round_up(n, 64)` does not
    if _ROUND_UP.search(name) and not _DIVISION.search(name):
        return -(-value // divisor) * divisor
    if _ROUND_DOWN.search(name):
        return value // divisor * divisor

    return max(1, -(-value // divisor))
