"""Translate PTX's arithmetic on parts of large integers, which hands a carry on.

Source: PTX ISA 8.8, "Extended-Precision Integer Arithmetic Instructions".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crawler.ptx.instruction_tables import CPP_TYPES
from crawler.ptx.program import Instruction
from crawler.ptx.registers import (
    RegisterScope,
    Untranslatable,
    Words,
    call_helper,
    format_bool,
    format_values,
)

_READERS: Final = frozenset({"addc", "subc", "madc"})
_WRITERS: Final = frozenset({"add", "sub", "mad", *_READERS})
_UNSIGNED: Final = {"u32": "u32", "s32": "u32", "u64": "u64", "s64": "u64"}
"""Sums of signed numbers have the bits, and the carry, of those of unsigned ones."""
_VARIABLE: Final = "ks_carry"


def is_extended(opcode: str) -> bool:
    """Tell whether an instruction reads or writes the carry."""
    return _reads(opcode) or _writes(opcode)


def declare_carry(program: Sequence[Instruction]) -> Iterator[str]:
    """Yield the declaration of the carry where a program needs one.

    It is the thread's own where it comes from an assembly before, or is left to one behind.
    """
    opcodes = [step.opcode for step in program if is_extended(step.opcode)]
    if not opcodes:
        return

    comes_from_before = _reads(opcodes[0])
    is_left = _writes(opcodes[-1])
    if comes_from_before or is_left:
        yield f"unsigned& {_VARIABLE} = {call_helper('carry')};"
    else:
        yield f"unsigned {_VARIABLE} = 0;"


def translate_extended(
    name: str, modifiers: Words, sources: Words, scope: RegisterScope
) -> str:
    """Return what an instruction computes, its effect on the carry included."""
    # e.g. `madc.lo.cc.u32`
    *flags, kind = modifiers
    opcode = ".".join([name, *modifiers])
    parts = [flag for flag in flags if flag != "cc"]
    is_product = name in ("mad", "madc")
    if kind not in _UNSIGNED or len(flags) - len(parts) > 1:
        raise Untranslatable(opcode)
    if len(parts) != int(is_product) or len(sources) != 2 + len(parts):
        raise Untranslatable(opcode)

    unsigned = CPP_TYPES[_UNSIGNED[kind]]
    if is_product:
        first = _multiply(parts[0], kind, sources[:2], scope)
    else:
        first = scope.format_value(sources[0], unsigned)

    last = scope.format_value(sources[-1], unsigned)
    function = "sub_carry" if name in ("sub", "subc") else "add_carry"
    effects = ", ".join(map(format_bool, (_reads(opcode), _writes(opcode))))
    return call_helper(f"{function}<{effects}>", first, last, _VARIABLE)


def _multiply(part: str, kind: str, factors: Words, scope: RegisterScope) -> str:
    """Return the lower or upper half of a product."""
    unsigned = CPP_TYPES[_UNSIGNED[kind]]
    if part == "lo":
        first, second = format_values(factors, unsigned, scope)
        return f"{first} * {second}"
    if part != "hi":
        raise Untranslatable(part)

    product = call_helper("mul_hi", *format_values(factors, CPP_TYPES[kind], scope))
    return f"static_cast<{unsigned}>({product})"


def _reads(opcode: str) -> bool:
    name = opcode.partition(".")[0]
    return name in _READERS


def _writes(opcode: str) -> bool:
    name, *modifiers = opcode.split(".")
    return name in _WRITERS and "cc" in modifiers
