"""Evaluate expressions of host code; a name that nothing defines is a free variable."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from crawler.validate.evidence.expression import (
    Call,
    Expression,
    Name,
    Number,
    Operation,
    parse_expression,
)

Value = int | float | tuple["int | float", ...]
_MOST: Final = 1 << 62
_DEEPEST: Final = 40
_CEIL: Final = re.compile(r"(?i)(?:ceil|div|up|cdiv|blocks)")
_BLOCKS: Final = re.compile(
    r"(?i)^div(?:ide)?$|ceil_?div|div_?(?:round_?)?up|up_?div|cdiv|divide_?up|blocks|int_?ceil|ceil_?int|grid"
)
_ROUND_UP: Final = re.compile(
    r"(?i)(?:round|align|pad)_?(?:up|to)|next_?multiple|ceil_?to"
)
_ROUND_DOWN: Final = re.compile(r"(?i)round_?down")
_POWER: Final = re.compile(
    r"(?i)(?:next|ceil|round).*(?:pow|log2)|power_?of_?(?:2|two)"
)
_CASTS: Final = frozenset(
    [
        "int",
        "unsigned",
        "long",
        "short",
        "char",
        "float",
        "double",
        "bool",
        "size_t",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
        "ssize_t",
        "uint",
        "int_t",
        "index_t",
    ]
)
_LIMITS: Final = {
    "INT_MAX": 2**31 - 1,
    "UINT_MAX": 2**32 - 1,
    "SHRT_MAX": 2**15 - 1,
    "USHRT_MAX": 2**16 - 1,
    **{f"INT{bits}_MAX": (1 << bits - 1) - 1 for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}_MAX": (1 << bits) - 1 for bits in (8, 16, 32, 64)},
}
_KNOWN: Final = {
    "true": 1,
    "false": 0,
    "nullptr": 0,
    "NULL": 0,
    "M_PI": math.pi,
    "warpSize": 32,
    **_LIMITS,
}
_SIZES: Final = {
    "char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "half": 2,
    "__half": 2, "at::Half": 2, "c10::Half": 2, "at::BFloat16": 2, "c10::BFloat16": 2, "__nv_bfloat16": 2,
    "int": 4, "unsigned": 4, "unsigned int": 4, "float": 4, "int32_t": 4, "uint32_t": 4, "half2": 4, "__half2": 4,
    "double": 8, "long": 8, "long long": 8, "unsigned long": 8, "unsigned long long": 8, "int64_t": 8,
    "uint64_t": 8, "size_t": 8, "float2": 8, "int2": 8, "float4": 16, "int4": 16, "uint4": 16,
}  # fmt: skip
_GROUPED: Final = frozenset(
    {
        "dim3",
        "{}",
        *(f"make_{of}{n}" for of in ("int", "uint", "float") for n in (2, 3, 4)),
    }
)
_MADE: Final = re.compile(r"(?:^|::)(?:new_)?(?:empty|zeros|ones|full|rand|randn)$")


@dataclass(slots=True)
class EvaluationScope:
    """What names mean: definitions of the host's text, what is bound to values, and who gives
    the rest a value.
    """

    resolve_free: Callable[[str, tuple[str, ...]], int | float]
    """Asked with a text and the names that it goes by."""
    definitions: Mapping[str, str] = field(default_factory=dict)
    bound_values: Mapping[str, int | float] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    """What type names stand for: `scalar_t` → `float`."""
    block_threads: int = 256
    """Of a block: by what `blocks(n)` divides."""
    inexact_divisions: list[tuple[Expression, int]] = field(default_factory=list)
    """Divisions that leave a rest, with their divisors."""
    has_unknown_size: bool = False
    """Whether the size of a type was asked for that is not known."""
    parsed_texts: dict[str, Expression | None] = field(default_factory=dict)
    """Of texts that were parsed before."""

    def parse_text(self, text: str) -> Expression | None:
        """Return the tree of a text, parsed once."""
        if text not in self.parsed_texts:
            self.parsed_texts[text] = parse_expression(text)
        return self.parsed_texts[text]


def evaluate(
    expression: Expression | None, scope: EvaluationScope, aliases: tuple[str, ...] = ()
) -> Value | None:
    """Return the value of `expression`, which goes by `aliases`; `None` for what has none."""
    try:
        return _value(expression, scope, aliases, 0)
    except (ArithmeticError, ValueError, RecursionError):
        return None


def to_number(value: Value | None) -> int | float | None:
    """Return a value as one number: of three, the first."""
    return value[0] if isinstance(value, tuple) else value


def size_of_type(name: str, types: Mapping[str, str]) -> int:
    """Return how many bytes a type has, 4 where it is not known."""
    if name.endswith("*"):
        return 8
    return _SIZES.get(types.get(name, name), _SIZES.get(name, 4))


def _knows_size(name: str, types: Mapping[str, str]) -> bool:
    """Tell whether a type is one of which it is known how many bytes it has."""
    return name.endswith("*") or types.get(name, name) in _SIZES or name in _SIZES


def _value(
    tree: Expression | None, scope: EvaluationScope, names: tuple[str, ...], depth: int
) -> Value | None:
    if tree is None or depth > _DEEPEST:
        return None
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Name):
        return _named(tree.text, scope, names, depth)
    if isinstance(tree, Operation):
        return _operated(tree, scope, depth)
    return _called(tree, scope, names, depth)


def _named(
    text: str, scope: EvaluationScope, names: tuple[str, ...], depth: int
) -> Value | None:
    if text in scope.bound_values:
        return scope.bound_values[text]
    if text in _KNOWN:
        return _KNOWN[text]
    if text.startswith("sizeof("):
        scope.has_unknown_size |= not _knows_size(text[7:-1], scope.types)
        return size_of_type(text[7:-1], scope.types)
    if text in scope.definitions and text not in names:
        value = _value(
            scope.parse_text(scope.definitions[text]), scope, (text, *names), depth + 1
        )
        if value is not None:
            return value
    known = _of_members(text, scope, names, depth)
    return known if known is not None else scope.resolve_free(text, (text, *names))


def _of_members(
    text: str, scope: EvaluationScope, names: tuple[str, ...], depth: int
) -> Value | None:
    """Return what is known of a name by what it is a member of, by its own members, or without
    its namespace.
    """
    receiver, dot, member = text.rpartition(".")
    if dot and member in ("x", "y", "z", "w"):
        whole = (
            _named(receiver, scope, names, depth + 1)
            if receiver in scope.definitions
            else None
        )
        if isinstance(whole, tuple):
            return (
                whole["xyzw".index(member)] if "xyzw".index(member) < len(whole) else 1
            )
    if not dot and f"{text}.x" in scope.definitions:
        written = [f"{text}.{axis}" for axis in "xyz"]
        return _three(
            [
                to_number(_named(each, scope, names, depth + 1))
                if each in scope.definitions
                else 1
                for each in written
            ]
        )
    last = text.rpartition("::")[2]
    if last != text and last in scope.definitions and last not in names:
        return _value(
            scope.parse_text(scope.definitions[last]), scope, (last, *names), depth + 1
        )
    return None


def _operated(tree: Operation, scope: EvaluationScope, depth: int) -> Value | None:
    first = to_number(_value(tree.operands[0], scope, (), depth + 1))
    if first is None:
        return None
    if tree.sign == "?":
        return _value(tree.operands[1 if first else 2], scope, (), depth + 1)
    if len(tree.operands) == 1:
        return (
            -first
            if tree.sign == "-"
            else int(not first)
            if tree.sign == "!"
            else ~int(first)
        )
    second = to_number(_value(tree.operands[1], scope, (), depth + 1))
    if second is None:
        return None
    if (
        tree.sign == "/"
        and isinstance(first, int)
        and isinstance(second, int)
        and second
        and first % second
    ):
        scope.inexact_divisions.append((tree.operands[0], second))
    return _bounded(_OPERATIONS[tree.sign](first, second))


def _bounded(value: int | float) -> int | float:
    if abs(value) > _MOST:
        raise OverflowError
    return value


def _quotient(a: int | float, b: int | float) -> int | float:
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a / b


def _shifted(a: int | float, b: int | float) -> int:
    if not 0 <= b < 63:
        raise OverflowError
    return int(a) << int(b)


_OPERATIONS: Final[Mapping[str, Callable[[int | float, int | float], int | float]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "%": lambda a, b: math.fmod(a, b) if isinstance(a, float) else int(math.fmod(a, b)),
    "<<": _shifted,
    ">>": lambda a, b: int(a) >> min(max(int(b), 0), 63),
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


def _called(
    tree: Call, scope: EvaluationScope, names: tuple[str, ...], depth: int
) -> Value | None:
    word = tree.callee.rpartition("::")[2]
    if tree.receiver:
        return _of_shape(tree, scope, names, depth)
    if word in _GROUPED:
        return _three(_numbers(tree.arguments, scope, depth))
    if word in _CASTS and len(tree.arguments) == 1:
        value = to_number(_value(tree.arguments[0], scope, names, depth + 1))
        return value if value is None or word in ("float", "double") else int(value)
    if word in ("sizeof",):
        return 4
    known = _function(word, tree, scope, depth)
    return (
        known
        if known is not None
        else scope.resolve_free(tree.text, (tree.text, *names))
    )


def _three(numbers: list[int | float | None]) -> Value:
    return tuple(
        1 if value is None else int(value)
        for value in [*numbers, 1, 1, 1][: max(3, len(numbers))]
    )


def _numbers(
    trees: Iterable[Expression], scope: EvaluationScope, depth: int
) -> list[int | float | None]:
    return [to_number(_value(tree, scope, (), depth + 1)) for tree in trees]


def _function(
    word: str, tree: Call, scope: EvaluationScope, depth: int
) -> int | float | None:
    if not tree.arguments or not (word in _FUNCTIONS or _is_rounding(word)):
        return None
    found = _numbers(tree.arguments, scope, depth)
    values = [value for value in found if value is not None]
    if len(values) != len(found):
        return None
    if word in _FUNCTIONS:
        return (
            _bounded(_FUNCTIONS[word](*values))
            if len(values) in _ARITY.get(word, (1,))
            else None
        )
    return _rounded(word, [int(value) for value in values], scope)


def _is_rounding(word: str) -> bool:
    return any(each.search(word) for each in (_POWER, _ROUND_UP, _ROUND_DOWN, _BLOCKS))


def _rounded(word: str, values: list[int], scope: EvaluationScope) -> int | None:
    if _POWER.search(word):
        return min(512, 1 << max(0, values[0] - 1).bit_length()) if values[0] > 0 else 1
    if len(values) == 1:
        return (
            -(-values[0] // max(1, scope.block_threads))
            if _BLOCKS.search(word)
            else None
        )
    divisor = values[1]
    if divisor <= 0:
        return None
    if _ROUND_UP.search(word) and not re.search(r"(?i)div", word):
        return -(-values[0] // divisor) * divisor
    if _ROUND_DOWN.search(word):
        return values[0] // divisor * divisor
    return max(1, -(-values[0] // divisor))


_ARITY: Final = {
    "min": (2,),
    "max": (2,),
    "pow": (2,),
    "fmin": (2,),
    "fmax": (2,),
    "sqrt": (1,),
    "log2": (1,),
}
_FUNCTIONS: Final[Mapping[str, Callable[..., int | float]]] = {
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


def _of_shape(
    tree: Call, scope: EvaluationScope, names: tuple[str, ...], depth: int
) -> Value | None:
    """Return a size of a tensor: as it was made in this text, else a free variable."""
    shape = (
        _shape(tree.receiver, scope, depth)
        if tree.callee in ("size", "numel", "dim", "shape")
        else None
    )
    if shape:
        if tree.callee == "numel":
            return math.prod(int(value) for value in shape)
        axis = (
            to_number(_value(tree.arguments[0], scope, (), depth + 1))
            if tree.arguments
            else None
        )
        if isinstance(axis, int) and -len(shape) <= axis < len(shape):
            return int(shape[axis])
    return scope.resolve_free(tree.text, (tree.text, *names))


def _shape(
    receiver: str, scope: EvaluationScope, depth: int
) -> list[int | float] | None:
    made = (
        scope.parse_text(scope.definitions[receiver])
        if receiver in scope.definitions
        else None
    )
    if (
        not isinstance(made, Call)
        or not _MADE.search(made.callee)
        or not made.arguments
    ):
        return None
    listed = made.arguments[0]
    if not isinstance(listed, Call) or listed.callee != "{}":
        return None
    values = _numbers(listed.arguments, scope, depth + 1)
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None
