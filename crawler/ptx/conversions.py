"""Translate PTX's `cvt` into HIP expressions."""

from __future__ import annotations

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

_SMALL_FLOAT_PAIRS: Final = {"e2m1x2": "E2M1", "e4m3x2": "E4M3", "e5m2x2": "E5M2"}
"""Pairs of floats of 4 and 8 bits."""
_SCALE_PAIR: Final = "ue8m0x2"
_SCALE_ROUNDINGS: Final = {"rz": "Scale<false>", "rp": "Scale<true>"}
_LIMITS: Final = ("satfinite", "relu")
_INTEGER_ROUNDINGS: Final = {
    "rni": "rint",
    "rzi": "trunc",
    "rmi": "floor",
    "rpi": "ceil",
}
_PACKED_INTEGERS: Final = {
    f"{sign}{bits}": (bits, sign == "s") for sign in "su" for bits in (2, 4, 8, 16)
}


def translate_conversion(modifiers: Words, sources: Words, scope: RegisterScope) -> str:
    """Return what `cvt` computes; raises `Untranslatable` where there is no rule."""
    if modifiers[:2] == ("pack", "sat"):
        return _pack_integers(modifiers[2:], sources, scope)
    if _SCALE_PAIR in modifiers:
        return _convert_scales(modifiers, sources, scope)

    types = [word for word in modifiers if word in CPP_TYPES]
    small_floats = [word for word in modifiers if word in _SMALL_FLOAT_PAIRS]
    if len(small_floats) == len(types) == 1:
        small_float_class = _SMALL_FLOAT_PAIRS[small_floats[0]]
        small_float = f"{HELPER_NAMESPACE}{small_float_class}"
        return _convert_small_floats(small_float, modifiers, sources, scope)

    # e.g. `cvt.rn.bf16x2.f32`: the target comes first
    if len(types) != 2:
        raise Untranslatable("cvt")
    target, source = types
    flags = set(modifiers) - {target, source}

    if _is_pair_of_halves(target, source, sources, flags):
        return _pair_halves(target, sources, flags, scope)
    return _convert_single(target, source, sources, flags, scope)


def _convert_small_floats(
    small_float: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return a conversion between a pair of small floats and floats or halves: the first
    operand is the upper one.
    """
    leading_modifiers = modifiers[:2]
    modifier_count = len(modifiers)

    if leading_modifiers == ("rn", "satfinite") and modifier_count == 4:
        source_type = modifiers[-1]
        return _encode_small_floats(small_float, source_type, sources, scope)
    if leading_modifiers == ("rn", "f16x2") and modifier_count == 3:
        return _decode_small_floats(small_float, sources, scope)
    raise Untranslatable("cvt")


def _encode_small_floats(
    small_float: str, source_type: str, sources: Words, scope: RegisterScope
) -> str:
    function = f"codes_of<{small_float}>"
    source_count = len(sources)

    if source_type == "f16x2" and source_count == 1:
        halves = scope.format_value(sources[0], "__half2")
        return call_helper(function, halves)

    if source_type == "f32" and source_count == 2:
        high, low = format_values(sources, "float", scope)
        return call_helper(function, low, high)

    raise Untranslatable("cvt")


def _decode_small_floats(small_float: str, sources: Words, scope: RegisterScope) -> str:
    if len(sources) != 1:
        raise Untranslatable("cvt")

    codes = scope.format_value(sources[0], "unsigned short")
    return call_helper(f"halves_of<{small_float}>", codes)


def _convert_scales(modifiers: Words, sources: Words, scope: RegisterScope) -> str:
    """Return a conversion to or from a pair of powers of two of 8 bits each."""
    source_count = len(sources)
    rounding = _SCALE_ROUNDINGS.get(modifiers[0])
    encodes = modifiers[1:] == ("satfinite", _SCALE_PAIR, "f32")

    if rounding and encodes and source_count == 2:
        high, low = format_values(sources, "float", scope)
        function = f"codes_of<{HELPER_NAMESPACE}{rounding}>"
        return call_helper(function, low, high)

    if modifiers == ("rn", "bf16x2", _SCALE_PAIR) and source_count == 1:
        codes = scope.format_value(sources[0], "unsigned short")
        return call_helper("scales_of", codes)

    raise Untranslatable("cvt")


def _pack_integers(types: Words, sources: Words, scope: RegisterScope) -> str:
    """Return two integers, saturated and side by side, the first above the second and a third
    word above both.
    """
    packed_type = types[0] if types else ""
    if packed_type not in _PACKED_INTEGERS:
        raise Untranslatable("cvt")
    bits, is_signed = _PACKED_INTEGERS[packed_type]

    # Two of 16 bits fill the word: nothing is left for a third.
    has_third_word = bits < 16
    source_types = ("s32", "b32") if has_third_word else ("s32",)
    if tuple(types[1:]) != source_types:
        raise Untranslatable("cvt")
    if len(sources) != 1 + len(source_types):
        raise Untranslatable("cvt")

    high, low = format_values(sources[:2], "int", scope)
    above = "0u"
    if has_third_word:
        above = scope.format_value(sources[2], "unsigned")

    function = f"side_by_side<{bits}, {format_bool(is_signed)}>"
    return call_helper(function, high, low, above)


def _is_pair_of_halves(
    target: str, source: str, sources: Words, flags: set[str]
) -> bool:
    if target not in ("f16x2", "bf16x2"):
        return False
    if source != "f32" or len(sources) != 2:
        return False

    return flags <= {"rn", *_LIMITS}


def _pair_halves(
    target: str, sources: Words, flags: set[str], scope: RegisterScope
) -> str:
    # PTX names the upper half first, C++'s constructors the lower one
    high, low = format_values(sources, "float", scope)
    cpp_type = CPP_TYPES[target]
    if flags.isdisjoint(_LIMITS):
        return call_helper(f"pair_of<{cpp_type}>", low, high)

    saturates, rectifies = (format_bool(limit in flags) for limit in _LIMITS)
    function = f"limited_pair_of<{cpp_type}, {saturates}, {rectifies}>"
    return call_helper(function, low, high)


def _convert_single(
    target: str, source: str, sources: Words, flags: set[str], scope: RegisterScope
) -> str:
    # `cvt.rni.s32.f32` rounds as it says; `cvt.s32.f32` without is none that PTX has
    roundings = flags & _INTEGER_ROUNDINGS.keys()
    rounding = min(roundings, default="")
    if len(sources) != 1:
        raise Untranslatable("cvt")
    if flags - {"rn", "ftz", "sat", rounding}:
        raise Untranslatable("cvt")

    value = scope.format_value(sources[0], CPP_TYPES[source])
    target_type = CPP_TYPES[target]
    if not rounding:
        function = "saturated" if "sat" in flags else "convert"
        return call_helper(f"{function}<{target_type}>", value)

    if source not in ("f32", "f64"):
        raise Untranslatable("cvt")
    rounded = call_helper(_INTEGER_ROUNDINGS[rounding], value)
    return call_helper(f"rounded<{target_type}>", rounded)
