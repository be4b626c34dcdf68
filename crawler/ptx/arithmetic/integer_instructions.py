"""Translate PTX's less common instructions on integers: funnel shifts, fields, 24-bit products,
and the video instructions on bytes and halves of a register.

Source: PTX ISA 8.8, "Integer Arithmetic Instructions", "Scalar Video Instructions" and "SIMD
Video Instructions".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from crawler.ptx.instruction_tables import CPP_TYPES
from crawler.ptx.registers import (
    HELPER_NAMESPACE,
    RegisterScope,
    Untranslatable,
    Words,
    call_helper,
    format_bool,
    format_values,
)

_Rule = Callable[[str, Words, Words, RegisterScope], str]
_INTEGERS: Final = frozenset({"u16", "s16", "u32", "s32", "u64", "s64"})
_WORDS: Final = {"u32": "unsigned", "s32": "int"}
_DIRECTIONS: Final = {"l": "left", "r": "right"}
_BOUNDS: Final = {"clamp": True, "wrap": False}
"""Whether an amount beyond the width counts as the width, or modulo it."""
# the part of a register that a video instruction takes: `%1.b3`, `%2.h0`
_PART: Final = re.compile(r"(.+)\.([bh])([0-3])")
_VIDEO_OPERATIONS: Final = {
    "vadd": f"{HELPER_NAMESPACE}Add",
    "vsub": f"{HELPER_NAMESPACE}Subtract",
    "vabsdiff": f"{HELPER_NAMESPACE}Distance",
    "vmin": f"{HELPER_NAMESPACE}Least",
    "vmax": f"{HELPER_NAMESPACE}Greatest",
    "vavrg": f"{HELPER_NAMESPACE}Average",
}
_SECOND_OPERATIONS: Final = {
    operation: _VIDEO_OPERATIONS[f"v{operation}"] for operation in ("add", "min", "max")
}
# `vabsdiff4` is four distances of bytes, `vadd2` two sums of halves
_SIMD_NAME: Final = re.compile(r"(v[a-z]+)([24])")


def translate_integers(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return what an instruction of these computes, empty for one that is none of them; raises
    `Untranslatable` for a form that has no rule.
    """
    rule = _RULES.get(name)
    if rule is None and _SIMD_NAME.fullmatch(name):
        rule = _compute_parts

    return rule(name, modifiers, sources, scope) if rule else ""


def _shift_funnel(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return the upper or lower word of two that are shifted as one."""
    # e.g. `shf.l.wrap.b32`
    if len(modifiers) != 3 or modifiers[2] != "b32" or len(sources) != 3:
        raise Untranslatable(name)
    direction, bound, _ = modifiers
    if direction not in _DIRECTIONS or bound not in _BOUNDS:
        raise Untranslatable(name)

    function = f"funnel_{_DIRECTIONS[direction]}<{format_bool(_BOUNDS[bound])}>"
    return call_helper(function, *format_values(sources, "unsigned", scope))


def _add_distance(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    (kind,) = _require(name, modifiers, _INTEGERS)
    first, second, summand = _take(3, name, sources, CPP_TYPES[kind], scope)
    return f"{summand} + {call_helper('distance', first, second)}"


def _multiply_24(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return 32 of the 48 bits of a product, to which `mad24` adds."""
    if len(modifiers) != 2 or modifiers[0] not in ("lo", "hi"):
        raise Untranslatable(name)
    part, kind = modifiers
    if kind not in _WORDS:
        raise Untranslatable(name)

    operand_count = 3 if name == "mad24" else 2
    first, second, *summand = _take(operand_count, name, sources, _WORDS[kind], scope)
    product = call_helper(f"product24<{format_bool(part == 'hi')}>", first, second)
    return " + ".join([product, *summand])


def _select_by_sign(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    kinds = [word for word in modifiers if word != "ftz"]
    if len(kinds) != 2 or kinds[0] not in CPP_TYPES or len(sources) != 3:
        raise Untranslatable(name)
    kind, sign_kind = kinds
    if sign_kind not in ("s32", "f32"):
        raise Untranslatable(name)

    first, second = format_values(sources[:2], CPP_TYPES[kind], scope)
    sign = scope.format_value(sources[2], CPP_TYPES[sign_kind])
    # what is not a number selects the second, too
    return f"({sign} >= 0 ? {first} : {second})"


def _find_leading_bit(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    is_amount = "shiftamt" in modifiers
    kinds = [word for word in modifiers if word != "shiftamt"]
    (kind,) = _require(name, kinds, _INTEGERS - {"u16", "s16"})
    (value,) = _take(1, name, sources, CPP_TYPES[kind], scope)
    return call_helper(f"leading_bit<{format_bool(is_amount)}>", value)


def _make_mask(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    if len(modifiers) != 2 or modifiers[0] not in _BOUNDS or modifiers[1] != "b32":
        raise Untranslatable(name)

    values = _take(2, name, sources, "unsigned", scope)
    return call_helper(f"mask<{format_bool(_BOUNDS[modifiers[0]])}>", *values)


def _extend(name: str, modifiers: Words, sources: Words, scope: RegisterScope) -> str:
    if len(modifiers) != 2 or modifiers[0] not in _BOUNDS or modifiers[1] not in _WORDS:
        raise Untranslatable(name)

    bound, kind = modifiers
    if len(sources) != 2:
        raise Untranslatable(name)
    value = scope.format_value(sources[0], _WORDS[kind])
    width = scope.format_value(sources[1], "unsigned")
    return call_helper(f"extended<{format_bool(_BOUNDS[bound])}>", value, width)


def _negate_condition(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    (kind,) = _require(name, modifiers, frozenset({"b16", "b32", "b64"}))
    (value,) = _take(1, name, sources, CPP_TYPES[kind], scope)
    return f"({value} == 0 ? 1 : 0)"


def _compute_video(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return a scalar video instruction: exact, then saturated or cut, then combined."""
    # e.g. `vadd.s32.u32.s32.sat.max d, a.b0, b.h1, c`
    result, first, second, *flags = _require_types(name, modifiers)
    is_saturated = flags[:1] == ["sat"]
    combining = flags[1:] if is_saturated else flags
    if len(sources) != 2 + len(combining):
        raise Untranslatable(name)

    values = [
        _widen_part(source, kind, scope)
        for source, kind in zip(sources[:2], (first, second), strict=True)
    ]
    function = f"video<{_VIDEO_OPERATIONS[name]}, {_WORDS[result]}, {format_bool(is_saturated)}>"
    value = call_helper(function, *values)
    if not combining:
        return value

    if combining[0] not in _SECOND_OPERATIONS:
        raise Untranslatable(name)
    operation = _SECOND_OPERATIONS[combining[0]]
    third = scope.format_value(sources[2], _WORDS[result])
    return call_helper(f"video<{operation}, {_WORDS[result]}, false>", value, third)


def _compute_parts(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return an instruction on two halves or four bytes of each register at once."""
    match = _SIMD_NAME.fullmatch(name)
    if match is None or match[1] not in _VIDEO_OPERATIONS or len(sources) != 3:
        raise Untranslatable(name)

    result, first, second, *flags = _require_types(name, modifiers)
    if flags not in ([], ["sat"], ["add"]):
        raise Untranslatable(name)
    # parts that are chosen one by one, or written to some of the result
    if any(_PART.fullmatch(source) or "." in source for source in sources):
        raise Untranslatable(name)

    kinds = ", ".join(format_bool(kind == "s32") for kind in (result, first, second))
    ending = ", ".join(format_bool(flags == [flag]) for flag in ("sat", "add"))
    operation = _VIDEO_OPERATIONS[match[1]]
    function = f"video_parts<{operation}, {match[2]}, {kinds}, {ending}>"
    return call_helper(function, *format_values(sources, "unsigned", scope))


def _widen_part(source: str, kind: str, scope: RegisterScope) -> str:
    """Return an operand, or the part of it that is chosen, as a number of 64 bits."""
    part = _PART.fullmatch(source)
    if part is None:
        value = scope.format_value(source, _WORDS[kind])
        return f"static_cast<long long>({value})"

    name, size, position = part.groups()
    is_byte = size == "b"
    bits = 8 if is_byte else 16
    part_type = CPP_TYPES[f"{kind[0]}{bits}"]
    if not is_byte and position not in "01":
        raise Untranslatable(source)
    value = scope.format_value(name, "unsigned")
    shifted = f"({value} >> {bits * int(position)})"
    return f"static_cast<long long>(static_cast<{part_type}>{shifted})"


def _require(name: str, modifiers: Words, kinds: frozenset[str]) -> Words:
    if len(modifiers) != 1 or modifiers[0] not in kinds:
        raise Untranslatable(name)
    return modifiers


def _require_types(name: str, modifiers: Words) -> Words:
    if len(modifiers) < 3 or not _WORDS.keys() >= set(modifiers[:3]):
        raise Untranslatable(name)
    return modifiers


def _take(
    count: int, name: str, sources: Words, cpp_type: str, scope: RegisterScope
) -> list[str]:
    if len(sources) != count:
        raise Untranslatable(name)
    return format_values(sources, cpp_type, scope)


_RULES: Final[dict[str, _Rule]] = {
    "shf": _shift_funnel,
    "sad": _add_distance,
    "mul24": _multiply_24,
    "mad24": _multiply_24,
    "slct": _select_by_sign,
    "bfind": _find_leading_bit,
    "bmsk": _make_mask,
    "szext": _extend,
    "cnot": _negate_condition,
    **dict.fromkeys(_VIDEO_OPERATIONS.keys() - {"vavrg"}, _compute_video),
}
