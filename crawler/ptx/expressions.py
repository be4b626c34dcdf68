"""Translate PTX instructions that compute one result into HIP expressions."""

from __future__ import annotations

from typing import Final

from crawler.ptx.arithmetic.integer_instructions import translate_integers
from crawler.ptx.conversions import translate_conversion
from crawler.ptx.instruction_tables import CPP_TYPES, HIP_FUNCTIONS, PRODUCT_TYPES
from crawler.ptx.registers import (
    HELPER_NAMESPACE,
    RegisterScope,
    Untranslatable,
    Words,
    call_helper,
    format_bool,
    format_values,
)

_INFIX: Final = {
    "add": "+",
    "sub": "-",
    "and": "&",
    "or": "|",
    "xor": "^",
    "div": "/",
    "rem": "%",
}
_INTEGERS_ONLY: Final = ("and", "or", "xor", "rem", "not")
_UNARY: Final = {"neg": "-", "not": "~"}
_BINARY_FUNCTIONS: Final = ("min", "max", "shl", "shr", "copysign")
_IGNORED_FLAGS: Final = frozenset({"rn", "ftz", "approx", "full", "lo", "noftz", "NaN"})
"""Roundings that HIP's operators have anyway, and leave to be less exact; `NaN` is seen to."""
_FLOAT_TYPES: Final = ("f32", "f64")

_HALF_FUNCTIONS: Final = {
    "add": "__hadd",
    "sub": "__hsub",
    "mul": "__hmul",
    "fma": "__hfma",
    "max": "__hmax",
    "min": "__hmin",
    "neg": "__hneg",
    "abs": "__habs",
}
_HALF_AND_PAIR_FUNCTIONS: Final = {
    "tanh": ("htanh", "h2tanh"),
    "ex2": ("hexp2", "h2exp2"),
}
_HALF_SUFFIXES: Final = {"f16": "", "bf16": "", "f16x2": "2", "bf16x2": "2"}
_BITS_OF_HALVES: Final = {"f16x2": "b32", "bf16x2": "b32", "f16": "b16", "bf16": "b16"}

_FLOAT_FUNCTIONS: Final = {
    "ex2": "exp2",
    "lg2": "log2",
    "rcp": "reciprocal",
    "rsqrt": "rsqrt",
    "sqrt": "sqrt",
    "sin": "sin",
    "cos": "cos",
    "tanh": "tanh",
}
_ONE_OPERAND_HELPERS: Final = ("popc", "clz", "brev", "abs")

_COMPARISONS: Final = {
    f"{order}{unordered}": (
        f"{HELPER_NAMESPACE}Compare::{order}, {format_bool(bool(unordered))}"
    )
    for order in ("eq", "ne", "lt", "le", "gt", "ge")
    for unordered in ("", "u")
}
_COMPARED_TYPES: Final = (("u32", "f16x2"), ("s32", "f16x2"))
_BYTE_TYPES: Final = {"s32": "signed char", "u32": "unsigned char"}
_BYTES_OF_SECOND_FACTOR: Final = {"": "0, 4", "lo": "0, 2", "hi": "2, 2"}
"""By the mode of a dot product: from which byte on, and how many."""


def translate_expression(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return what an instruction with one result computes; raises `Untranslatable` where there
    is no rule.
    """
    if name == "cvt":
        return translate_conversion(modifiers, sources, scope)
    if name == "set":
        values = format_values(sources, "unsigned", scope)
        return _compare_halves(modifiers, values)
    if name in ("dp2a", "dp4a"):
        values = format_values(sources, "unsigned", scope)
        return _dot_product(name, modifiers, values)

    integers = translate_integers(name, modifiers, sources, scope)
    if integers:
        return integers

    types = [word for word in modifiers if word in CPP_TYPES]
    if len(types) != 1:
        raise Untranslatable(name)
    (kind,) = types
    flags = set(modifiers) - {kind}
    if name == "mad" and flags == {"wide"}:
        return _multiply_add_wide(kind, sources, scope)
    values = format_values(sources, CPP_TYPES[kind], scope)

    opcode = ".".join([name, *modifiers])
    if opcode in HIP_FUNCTIONS:
        # These take halves by their bits.
        bits = CPP_TYPES[_BITS_OF_HALVES.get(kind, kind)]
        values = format_values(sources, bits, scope)
        return call_helper(HIP_FUNCTIONS[opcode], *values)

    if kind in _HALF_SUFFIXES:
        return _compute_halves(name, kind, flags, values)
    return _compute(name, kind, flags, values)


def _compute_halves(name: str, kind: str, flags: set[str], values: Words) -> str:
    arguments = ", ".join(values)
    suffix = _HALF_SUFFIXES[kind]

    if name in _HALF_AND_PAIR_FUNCTIONS and flags <= {"approx", "ftz"}:
        half_function, pair_function = _HALF_AND_PAIR_FUNCTIONS[name]
        function = pair_function if suffix else half_function
        return f"{function}({arguments})"

    if name not in _HALF_FUNCTIONS or flags - {"rn", "ftz", "noftz"}:
        raise Untranslatable(name)
    function = _HALF_FUNCTIONS[name]
    return f"{function}{suffix}({arguments})"


def _compute(name: str, kind: str, flags: set[str], values: Words) -> str:
    # `mul.wide.u32` gives 64 bits, `mul.hi.u32` the upper 32 of them, `mul.lo.u32` the lower
    if name == "mul" and "hi" in flags:
        return call_helper("mul_hi", *values)
    if name == "mul" and "wide" in flags:
        return _multiply_wide(kind, values)
    if name == "mad" and flags == {"hi"} and len(values) == 3:
        product = call_helper("mul_hi", *values[:2])
        return f"{product} + {values[2]}"
    if "sat" in flags:
        return _saturate(name, kind, flags - {"sat"}, values)
    if flags - _IGNORED_FLAGS:
        raise Untranslatable(name)

    expression = ""
    operand_count = len(values)
    if operand_count == 1:
        expression = _compute_unary(name, kind, values[0])
    elif operand_count == 2:
        expression = _compute_binary(name, kind, flags, values)
    elif operand_count == 3 and name in ("mad", "fma"):
        expression = _multiply_add(kind, values)

    if not expression:
        raise Untranslatable(name)
    return expression


def _saturate(name: str, kind: str, flags: set[str], values: Words) -> str:
    """Return a sum that stays within its type, or a float within 0 and 1."""
    if kind == "s32" and name in ("add", "sub") and not flags and len(values) == 2:
        wide_values = [f"static_cast<long long>({value})" for value in values]
        operation = {"add": "Add", "sub": "Subtract"}[name]
        function = f"video<{HELPER_NAMESPACE}{operation}, int, true>"
        return call_helper(function, *wide_values)
    if kind != "f32":
        raise Untranslatable(name)

    return call_helper("saturate", _compute(name, kind, flags, values))


def _has_operator(name: str, kind: str) -> bool:
    """Tell whether C++'s operator takes the type: it has no bits of floats."""
    return kind not in _FLOAT_TYPES or name not in _INTEGERS_ONLY


def _compute_unary(name: str, kind: str, value: str) -> str:
    if name in _UNARY and _has_operator(name, kind):
        operator = "!" if kind == "pred" else _UNARY[name]
        return f"{operator}{value}"
    if name in _ONE_OPERAND_HELPERS:
        return call_helper(name, value)
    if name in _FLOAT_FUNCTIONS and kind == "f32":
        function = _FLOAT_FUNCTIONS[name]
        return call_helper(function, value)

    return ""


def _compute_binary(name: str, kind: str, flags: set[str], values: Words) -> str:
    first, second = values
    if name in _INFIX and _has_operator(name, kind):
        operator = _INFIX[name]
        return f"{first} {operator} {second}"
    if name == "mul":
        return f"{first} * {second}"
    if name in _BINARY_FUNCTIONS:
        # e.g. `min.NaN.f32`, which is not a number where either is not
        function = f"{name}_nan" if "NaN" in flags else name
        return call_helper(function, first, second)

    return ""


def _multiply_add(kind: str, values: Words) -> str:
    if kind in _FLOAT_TYPES:
        return call_helper("fma", *values)

    first, second, summand = values
    return f"{first} * {second} + {summand}"


def _multiply_wide(kind: str, factors: Words) -> str:
    """Return all of a product, twice as wide as its factors."""
    if kind not in PRODUCT_TYPES:
        raise Untranslatable(kind)

    wide = PRODUCT_TYPES[kind]
    first, second = factors
    return f"static_cast<{wide}>({first}) * static_cast<{wide}>({second})"


def _multiply_add_wide(kind: str, sources: Words, scope: RegisterScope) -> str:
    *factors, summand = sources
    factor_values = format_values(factors, CPP_TYPES[kind], scope)
    product = _multiply_wide(kind, factor_values)

    # e.g. `mad.wide.u32 %0, %1, 4, %2` adds an offset to an address: it has 64 bits already
    wide_summand = scope.format_value(summand, PRODUCT_TYPES[kind])
    return f"{product} + {wide_summand}"


def _compare_halves(modifiers: Words, values: Words) -> str:
    """Return a comparison of two pairs of halves."""
    # e.g. `set.ltu.u32.f16x2`: where either is not a number, `ltu` holds
    order, *types = modifiers
    if order not in _COMPARISONS:
        raise Untranslatable("set")
    if tuple(types) not in _COMPARED_TYPES or len(values) != 2:
        raise Untranslatable("set")

    function = f"compared_halves<{_COMPARISONS[order]}>"
    return call_helper(function, *values)


def _dot_product(name: str, modifiers: Words, values: Words) -> str:
    """Return a sum of products of bytes."""
    # e.g. `dp4a.s32.u32` and `dp2a.lo.s32.u32`
    is_four_way = name == "dp4a"
    mode = "" if is_four_way else modifiers[0]
    types = modifiers if is_four_way else modifiers[1:]
    if mode not in _BYTES_OF_SECOND_FACTOR or len(values) != 3:
        raise Untranslatable(name)
    if len(types) != 2 or not _BYTE_TYPES.keys() >= set(types):
        raise Untranslatable(name)

    first, second = types
    first_type = _BYTE_TYPES[first]
    if not is_four_way:
        # Two numbers of 16 bits are the first factor.
        short_type = first.replace("32", "16")
        first_type = CPP_TYPES[short_type]

    bytes_of_second = _BYTES_OF_SECOND_FACTOR[mode]
    function = f"dot<{first_type}, {_BYTE_TYPES[second]}, {bytes_of_second}>"
    return call_helper(function, *values)
