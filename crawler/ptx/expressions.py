"""Translate PTX instructions that compute one result into HIP expressions."""

from __future__ import annotations

from typing import Final

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

    types = [word for word in modifiers if word in CPP_TYPES]
    if len(types) != 1:
        raise Untranslatable(name)

    (kind,) = types
    flags = set(modifiers) - {kind}
    values = format_values(sources, CPP_TYPES[kind], scope)

    opcode = f"{name}.{'.'.join(modifiers)}"
    if opcode in HIP_FUNCTIONS:
        # These take halves by their bits.
        bits = CPP_TYPES[_BITS_OF_HALVES.get(kind, kind)]
        return call_helper(HIP_FUNCTIONS[opcode], *format_values(sources, bits, scope))
    if kind in _HALF_SUFFIXES:
        return _compute_halves(name, kind, flags, values)

    return _compute(name, kind, flags, values)


def _compute_halves(name: str, kind: str, flags: set[str], values: Words) -> str:
    arguments = ", ".join(values)
    suffix = _HALF_SUFFIXES[kind]
    if name in _HALF_AND_PAIR_FUNCTIONS and flags <= {"approx", "ftz"}:
        half_function, pair_function = _HALF_AND_PAIR_FUNCTIONS[name]
        return f"{pair_function if suffix else half_function}({arguments})"
    if name not in _HALF_FUNCTIONS or flags - {"rn", "ftz", "noftz"}:
        raise Untranslatable(name)

    return f"{_HALF_FUNCTIONS[name]}{suffix}({arguments})"


def _compute(name: str, kind: str, flags: set[str], values: Words) -> str:
    # `mul.wide.u32` gives 64 bits, `mul.hi.u32` the upper 32 of them, `mul.lo.u32` the lower
    if name == "mul" and flags & {"wide", "hi"}:
        return _multiply_wide(kind, flags, values)
    if name == "mad" and "wide" in flags:
        product = _multiply_wide(kind, flags, values[:2])
        summand = call_helper(f"as<{PRODUCT_TYPES[kind]}>", values[2])
        return f"{product} + {summand}"
    if flags - _IGNORED_FLAGS:
        raise Untranslatable(name)

    expression = ""
    if len(values) == 1:
        expression = _compute_unary(name, kind, values[0])
    elif len(values) == 2:
        expression = _compute_binary(name, kind, flags, values)
    elif len(values) == 3 and name in ("mad", "fma"):
        expression = _multiply_add(kind, values)

    if not expression:
        raise Untranslatable(name)

    return expression


def _compute_unary(name: str, kind: str, value: str) -> str:
    is_float = kind in _FLOAT_TYPES
    if name in _UNARY and not (is_float and name in _INTEGERS_ONLY):
        return f"!{value}" if kind == "pred" else f"{_UNARY[name]}{value}"
    if name in _ONE_OPERAND_HELPERS:
        return call_helper(name, value)
    if name in _FLOAT_FUNCTIONS and kind == "f32":
        return call_helper(_FLOAT_FUNCTIONS[name], value)

    return ""


def _compute_binary(name: str, kind: str, flags: set[str], values: Words) -> str:
    first, second = values
    is_float = kind in _FLOAT_TYPES
    if name in _INFIX and not (is_float and name in _INTEGERS_ONLY):
        return f"{first} {_INFIX[name]} {second}"
    if name == "mul":
        return f"{first} * {second}"
    if name in _BINARY_FUNCTIONS:
        function = f"{name}_nan" if "NaN" in flags else name
        return call_helper(function, first, second)

    return ""


def _multiply_add(kind: str, values: Words) -> str:
    if kind in _FLOAT_TYPES:
        return call_helper("fma", *values)

    first, second, summand = values
    return f"{first} * {second} + {summand}"


def _multiply_wide(kind: str, flags: set[str], values: Words) -> str:
    """Return all of a product, or its upper half."""
    if "hi" in flags:
        return call_helper("mul_hi", *values)
    if kind not in PRODUCT_TYPES:
        raise Untranslatable(kind)

    wide = PRODUCT_TYPES[kind]
    return f"static_cast<{wide}>({values[0]}) * static_cast<{wide}>({values[1]})"


def _compare_halves(modifiers: Words, values: Words) -> str:
    """Return a comparison of two pairs of halves."""
    comparison = _COMPARISONS.get(modifiers[0])
    is_supported = tuple(modifiers[1:]) in _COMPARED_TYPES and len(values) == 2
    if not comparison or not is_supported:
        raise Untranslatable("set")

    return call_helper(f"compared_halves<{comparison}>", *values)


def _dot_product(name: str, modifiers: Words, values: Words) -> str:
    """Return a sum of products of bytes."""
    is_four_way = name == "dp4a"
    mode = "" if is_four_way else modifiers[0]
    types = modifiers if is_four_way else modifiers[1:]
    if mode not in _BYTES_OF_SECOND_FACTOR or len(values) != 3:
        raise Untranslatable(name)
    if len(types) != 2 or not _BYTE_TYPES.keys() >= set(types):
        raise Untranslatable(name)

    first, second = types
    # `dp2a` takes two 16-bit numbers as its first factor.
    factor = _BYTE_TYPES[first] if is_four_way else CPP_TYPES[first.replace("32", "16")]
    template_arguments = (factor, _BYTE_TYPES[second], _BYTES_OF_SECOND_FACTOR[mode])

    return call_helper(f"dot<{', '.join(template_arguments)}>", *values)
