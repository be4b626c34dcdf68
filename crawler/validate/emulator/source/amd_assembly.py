"""Translate instructions of AMD GPUs to C++ for the CPU."""

from __future__ import annotations

import re
from typing import Final

from crawler.ptx.inline_assembly import InlineAssembly

# assembly of AMD's devices, which no lexer here cuts: one instruction behind another
_STEP_SEPARATOR: Final = re.compile(r"[;\s\\]+(?=[a-z]+_)")
_WAIT: Final = re.compile(r"s_(?:wait\w+|nop|delay_alu|barrier_signal)\b[^;]*")
"""Of AMD's devices: a CPU waits for each load by itself."""
# one such instruction
_BARRIER: Final = re.compile(r"s_barrier(?:_wait -?\d+)?")
_DOT_PRODUCT: Final = re.compile(
    r"v_dot2c?_f32_f16(?:_e32)? %(\d), %(\d), %(\d)(?:, %(\d))?"
)
"""Rule: "RDNA3 Instruction Set Architecture", V_DOT2_F32_F16; the `c` form adds to where it
writes.
"""
_CONVERSION: Final = re.compile(r"v_cvt_(f32_f16|f16_f32)(?:_e32)? %(\d), %(\d)")
"""Rule: "RDNA3 Instruction Set Architecture", V_CVT_F32_F16 and V_CVT_F16_F32: the half stands
in the lower 16 bits.
"""
_CONVERSION_FUNCTIONS: Final = {
    "f32_f16": "ks_float_of_half",
    "f16_f32": "ks_half_of_float",
}
_COMPILER_BARRIER: Final = '__asm__ volatile("" ::: "memory")'


def translate_amd_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same on a CPU, empty where there is none."""
    return (
        _translate_waits(assembly.template.strip("; \\"))
        or _translate_dot_product(assembly)
        or _translate_conversion(assembly)
    )


def _translate_waits(template: str) -> str:
    """Return what stands for the waits and barriers of an AMD device, or for nothing at all;
    empty for other steps.
    """
    has_barrier = False
    steps = _STEP_SEPARATOR.split(template) if template else []

    for step in steps:
        if _BARRIER.fullmatch(step):
            has_barrier = True
        elif not _WAIT.fullmatch(step):
            return ""

    return "__syncthreads()" if has_barrier else _COMPILER_BARRIER


def _translate_dot_product(assembly: InlineAssembly) -> str:
    match = _DOT_PRODUCT.fullmatch(assembly.template.strip("; "))
    if match is None:
        return ""

    target_number, *numbers = match.groups()
    # the `c` form has no operand of its own for what it adds to
    numbers = [number or target_number for number in numbers]
    expressions = _list_expressions(assembly, [target_number, *numbers])
    if not expressions:
        return ""

    target, left_factor, right_factor, addend = expressions

    return (
        f"(void)({target} = ks_dot_of_halves({left_factor}, {right_factor}, {addend}))"
    )


def _translate_conversion(assembly: InlineAssembly) -> str:
    match = _CONVERSION.fullmatch(assembly.template.strip("; \n"))
    if match is None:
        return ""

    expressions = _list_expressions(assembly, [match[2], match[3]])
    if not expressions:
        return ""

    target, value = expressions
    function = _CONVERSION_FUNCTIONS[match[1]]

    return f"(void)({target} = {function}({value}))"


def _list_expressions(assembly: InlineAssembly, numbers: list[str]) -> list[str]:
    """Return operands by their numbers; nothing where there is no such operand."""
    positions = [int(number) for number in numbers]
    if max(positions) >= len(assembly.operands):
        return []

    return [assembly.operands[position].expression for position in positions]
