"""Translate PTX instructions that compute one result into HIP expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from crawler.ptx.instruction_tables import CPP_TYPES, HIP_FUNCTIONS, PRODUCT_TYPES

HELPER_NAMESPACE: Final = "::kernelset::ptx::"
_INFIX: Final = {
    "add": "+",
    "sub": "-",
    "and": "&",
    "or": "|",
    "xor": "^",
    "div": "/",
    "rem": "%",
}
_UNARY: Final = {"neg": "-", "not": "~"}
_ROUNDING: Final = frozenset({"rn", "ftz", "approx", "full", "lo", "noftz"})
_OF_HALVES: Final = {
    "add": "__hadd",
    "sub": "__hsub",
    "mul": "__hmul",
    "fma": "__hfma",
    "max": "__hmax",
    "min": "__hmin",
    "neg": "__hneg",
    "abs": "__habs",
}
_FUNCTIONS_OF_HALVES: Final = {"tanh": ("htanh", "h2tanh"), "ex2": ("hexp2", "h2exp2")}
_HALVES: Final = {"f16": "", "bf16": "", "f16x2": "2", "bf16x2": "2"}
_FUNCTIONS: Final = {
    "ex2": "exp2",
    "lg2": "log2",
    "rcp": "reciprocal",
    "rsqrt": "rsqrt",
    "sqrt": "sqrt",
    "sin": "sin",
    "cos": "cos",
    "tanh": "tanh",
}
_COUNTS: Final = {"popc": "popc", "clz": "clz", "brev": "brev"}
_SMALL: Final = {"e2m1x2": "E2M1", "e4m3x2": "E4M3", "e5m2x2": "E5M2"}
"""Pairs of floats of 4 and 8 bits."""
_SCALES: Final = {"rz": "Scale<false>", "rp": "Scale<true>"}
_LIMITS: Final = ("satfinite", "relu")
_ORDERS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
_COMPARED: Final = {
    f"{order}{unordered}": f"{HELPER_NAMESPACE}Compare::{order}, {'true' if unordered else 'false'}"
    for order in _ORDERS
    for unordered in ("", "u")
}
_BYTES: Final = {"s32": "signed char", "u32": "unsigned char"}
_FIRST: Final = {"": "0, 4", "lo": "0, 2", "hi": "2, 2"}
"""Which bytes of the second factor, from which on and how many."""
_PACKED: Final = {
    f"{sign}{bits}": (bits, sign == "s") for sign in "su" for bits in (2, 4, 8, 16)
}
_TO_INTEGER: Final = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


class Untranslatable(Exception):
    """No rule says what this is in HIP."""


class RegisterScope(Protocol):
    """The registers that an instruction may name."""

    def format_value(self, source: str, cpp_type: str) -> str:
        """Return a source operand as a C++ type."""
        ...

    def format_variable(self, name: str) -> str:
        """Return the variable of a register or of a numbered operand."""
        ...

    def format_assignment(self, destination: str, value: str) -> str:
        """Return the statement that writes a value into a register."""
        ...

    def format_address(self, operand: str) -> str:
        """Return what stands in square brackets, as a number."""
        ...

    def split_vector(self, operand: str) -> tuple[str, ...]:
        """Return the registers in braces, or the one that stands alone."""
        ...


Words = Sequence[str]


def translate_expression(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return what an instruction with one result computes; raises `Untranslatable` where there
    is no rule.
    """
    if name == "cvt" and modifiers[:2] == ("pack", "sat"):
        return _packed(modifiers[2:], sources, scope)
    if name == "cvt" and "ue8m0x2" in modifiers:
        return _of_scales(modifiers, sources, scope)
    if name in ("set", "dp2a", "dp4a"):
        return _of_parts(
            name, modifiers, [scope.format_value(each, "unsigned") for each in sources]
        )
    types = [word for word in modifiers if word in CPP_TYPES]
    plain = set(modifiers) - set(types)
    small = [_SMALL[word] for word in modifiers if word in _SMALL]
    if name == "cvt" and len(small) == len(types) == 1:
        return _of_pair(small[0], types[0], modifiers, sources, scope)
    if not types or (name != "cvt" and len(types) != 1):
        raise Untranslatable(name)
    if name == "cvt":
        return _converted(types, plain, sources, scope)
    values = [scope.format_value(source, CPP_TYPES[types[0]]) for source in sources]
    rule = f"{name}.{'.'.join(modifiers)}"
    if rule in HIP_FUNCTIONS:
        return f"{HELPER_NAMESPACE}{HIP_FUNCTIONS[rule]}({', '.join(scope.format_value(source, CPP_TYPES[_word(types[0])]) for source in sources)})"
    if types[0] in _HALVES:
        return _of_halves(name, types[0], plain, values)
    return _plain(name, types[0], plain, values)


def _word(kind: str) -> str:
    return {"f16x2": "b32", "bf16x2": "b32", "f16": "b16", "bf16": "b16"}.get(
        kind, kind
    )


def _of_halves(name: str, kind: str, plain: set[str], values: Words) -> str:
    if name in _FUNCTIONS_OF_HALVES and plain <= {"approx", "ftz"}:
        return f"{_FUNCTIONS_OF_HALVES[name][bool(_HALVES[kind])]}({', '.join(values)})"
    if name not in _OF_HALVES or plain - {"rn", "ftz", "noftz"}:
        raise Untranslatable(name)
    return f"{_OF_HALVES[name]}{_HALVES[kind]}({', '.join(values)})"


def _plain(name: str, kind: str, plain: set[str], values: Words) -> str:
    if name == "mul" and plain & {"wide", "hi"}:
        return _product(kind, plain, values)
    if name == "mad" and "wide" in plain:
        return f"{_product(kind, plain, values[:2])} + {HELPER_NAMESPACE}as<{PRODUCT_TYPES[kind]}>({values[2]})"
    if plain - _ROUNDING - {"NaN"}:
        raise Untranslatable(name)
    made = _arithmetic(name, kind, plain, values)
    if not made:
        raise Untranslatable(name)
    return made


def _arithmetic(name: str, kind: str, plain: set[str], values: Words) -> str:
    floating = kind in ("f32", "f64")
    if (
        len(values) == 2
        and name in _INFIX
        and not (floating and name in ("and", "or", "xor", "rem"))
    ):
        return f"{values[0]} {_INFIX[name]} {values[1]}"
    if len(values) == 2 and name in ("mul", "min", "max", "shl", "shr", "copysign"):
        function = f"{name}_nan" if "NaN" in plain else name
        return (
            f"{values[0]} * {values[1]}"
            if name == "mul"
            else f"{HELPER_NAMESPACE}{function}({values[0]}, {values[1]})"
        )
    if len(values) == 3 and name in ("mad", "fma"):
        return (
            f"{HELPER_NAMESPACE}fma({', '.join(values)})"
            if floating
            else f"{values[0]} * {values[1]} + {values[2]}"
        )
    if len(values) == 3 and name == "selp":
        return ""
    if len(values) != 1:
        return ""
    return _of_one(name, kind, values[0])


def _of_one(name: str, kind: str, value: str) -> str:
    if name in _UNARY and not (name == "not" and kind in ("f32", "f64")):
        return f"!{value}" if kind == "pred" else f"{_UNARY[name]}{value}"
    if name in _COUNTS or name == "abs":
        return f"{HELPER_NAMESPACE}{name}({value})"
    if name in _FUNCTIONS and kind == "f32":
        return f"{HELPER_NAMESPACE}{_FUNCTIONS[name]}({value})"
    return ""


def _product(kind: str, plain: set[str], values: Words) -> str:
    if "hi" in plain:
        return f"{HELPER_NAMESPACE}mul_hi({', '.join(values)})"
    if kind not in PRODUCT_TYPES:
        raise Untranslatable(kind)
    wide = PRODUCT_TYPES[kind]
    return f"static_cast<{wide}>({values[0]}) * static_cast<{wide}>({values[1]})"


def _of_pair(
    small: str, kind: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return a conversion between a pair of small floats and floats or halves: the first
    operand is the upper one.
    """
    if (
        modifiers[-1] == "f16x2"
        and modifiers[:2] == ("rn", "satfinite")
        and len(modifiers) == 4
        and len(sources) == 1
    ):
        return f"{HELPER_NAMESPACE}codes_of<{HELPER_NAMESPACE}{small}>({scope.format_value(sources[0], '__half2')})"
    if (
        modifiers[-1] == "f32"
        and modifiers[:2] == ("rn", "satfinite")
        and len(modifiers) == 4
        and len(sources) == 2
    ):
        high, low = (scope.format_value(each, "float") for each in sources)
        return f"{HELPER_NAMESPACE}codes_of<{HELPER_NAMESPACE}{small}>({low}, {high})"
    if (
        kind == "f16x2"
        and modifiers[:2] == ("rn", "f16x2")
        and len(modifiers) == 3
        and len(sources) == 1
    ):
        return f"{HELPER_NAMESPACE}halves_of<{HELPER_NAMESPACE}{small}>({scope.format_value(sources[0], 'unsigned short')})"
    raise Untranslatable("cvt")


def _of_scales(modifiers: Words, sources: Words, scope: RegisterScope) -> str:
    rounding = _SCALES.get(modifiers[0], "")
    if (
        rounding
        and modifiers[1:] == ("satfinite", "ue8m0x2", "f32")
        and len(sources) == 2
    ):
        high, low = (scope.format_value(each, "float") for each in sources)
        return (
            f"{HELPER_NAMESPACE}codes_of<{HELPER_NAMESPACE}{rounding}>({low}, {high})"
        )
    if modifiers == ("rn", "bf16x2", "ue8m0x2") and len(sources) == 1:
        return f"{HELPER_NAMESPACE}scales_of({scope.format_value(sources[0], 'unsigned short')})"
    raise Untranslatable("cvt")


def _of_parts(name: str, modifiers: Words, values: Words) -> str:
    """Return a comparison of two pairs of halves, or a sum of products of bytes."""
    compared = _COMPARED.get(modifiers[0])
    if (
        name == "set"
        and compared
        and tuple(modifiers[1:]) in (("u32", "f16x2"), ("s32", "f16x2"))
        and len(values) == 2
    ):
        return f"{HELPER_NAMESPACE}compared_halves<{compared}>({', '.join(values)})"
    mode, kinds = ("", modifiers) if name == "dp4a" else (modifiers[0], modifiers[1:])
    if (
        name == "set"
        or mode not in _FIRST
        or len(kinds) != 2
        or not {*kinds} <= {*_BYTES}
        or len(values) != 3
    ):
        raise Untranslatable(name)
    factor = (
        _BYTES[kinds[0]] if name == "dp4a" else CPP_TYPES[kinds[0].replace("32", "16")]
    )
    return f"{HELPER_NAMESPACE}dot<{factor}, {_BYTES[kinds[1]]}, {_FIRST[mode]}>({', '.join(values)})"


def _packed(kinds: Words, sources: Words, scope: RegisterScope) -> str:
    """Return two integers, saturated and side by side, the first above the second and a third
    word above both.
    """
    bits, signed = _PACKED.get(kinds[0] if kinds else "", (0, False))
    wanted = ("s32",) if bits == 16 else ("s32", "b32")
    if not bits or tuple(kinds[1:]) != wanted or len(sources) != 1 + len(wanted):
        raise Untranslatable("cvt")
    high, low = (scope.format_value(each, "int") for each in sources[:2])
    above = scope.format_value(sources[2], "unsigned") if bits < 16 else "0u"
    return f"{HELPER_NAMESPACE}side_by_side<{bits}, {'true' if signed else 'false'}>({high}, {low}, {above})"


def _converted(
    types: Words, plain: set[str], sources: Words, scope: RegisterScope
) -> str:
    if len(types) != 2:
        raise Untranslatable("cvt")
    to, source = types
    if (
        to in ("f16x2", "bf16x2")
        and source == "f32"
        and len(sources) == 2
        and plain <= {"rn", *_LIMITS}
    ):
        high, low = (scope.format_value(each, "float") for each in sources)
        limits = ", ".join("true" if limit in plain else "false" for limit in _LIMITS)
        limited = (
            f"limited_pair_of<{CPP_TYPES[to]}, {limits}>"
            if plain & {*_LIMITS}
            else f"pair_of<{CPP_TYPES[to]}>"
        )
        return f"{HELPER_NAMESPACE}{limited}({low}, {high})"
    rounding = next((word for word in plain if word in _TO_INTEGER), "")
    if len(sources) != 1 or plain - {"rn", "ftz", "sat", rounding}:
        raise Untranslatable("cvt")
    value = scope.format_value(sources[0], CPP_TYPES[source])
    if rounding:
        if source not in ("f32", "f64"):
            raise Untranslatable("cvt")
        return f"{HELPER_NAMESPACE}rounded<{CPP_TYPES[to]}>({HELPER_NAMESPACE}{_TO_INTEGER[rounding]}({value}))"
    if "sat" in plain:
        return f"{HELPER_NAMESPACE}saturated<{CPP_TYPES[to]}>({value})"
    return f"{HELPER_NAMESPACE}convert<{CPP_TYPES[to]}>({value})"
