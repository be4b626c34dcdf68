"""Translate inline assembly of PTX and AMD GPUs to C++ for the CPU."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.masked_source import MaskedSource
from crawler.ptx import translation
from crawler.ptx.block_translation import translate_program
from crawler.ptx.conditional_assembly import split_conditional_assembly
from crawler.ptx.inline_assembly import InlineAssembly, find_assembly_statements
from crawler.ptx.registers import (
    HELPER_NAMESPACE,
    RegisterScope,
    Untranslatable,
    Words,
)
from crawler.ptx.statements import StatementRule

_LINE_END: Final = re.compile(r"\\?\n")
"""With what goes on with a macro behind it."""
_STEPS: Final = re.compile(r"[;\s\\]+(?=[a-z]+_)")
_WAIT: Final = re.compile(r"s_(?:wait\w+|nop|delay_alu|barrier_signal)\b[^;]*")
"""Of AMD's devices: a CPU waits for each load by itself."""
_BARRIER: Final = re.compile(r"s_barrier(?:_wait -?\d+)?")
_DOT: Final = re.compile(r"v_dot2c?_f32_f16(?:_e32)? %(\d), %(\d), %(\d)(?:, %(\d))?")
"""Rule: "RDNA3 Instruction Set Architecture", V_DOT2_F32_F16; the `c` form adds to where it
writes.
"""
_CONVERSION: Final = re.compile(r"v_cvt_(f32_f16|f16_f32)(?:_e32)? %(\d), %(\d)")
"""Rule: "RDNA3 Instruction Set Architecture", V_CVT_F32_F16 and V_CVT_F16_F32: the half stands
in the lower 16 bits.
"""
_OF_HALF: Final = {"f32_f16": "ks_float_of_half", "f16_f32": "ks_half_of_float"}
_WORDS: Final = ("asm", "__asm__", "__asm")
_OF_SIZES: Final = {
    ("m16n8k8", "f16"): ("Half", 8),
    ("m16n8k16", "f16"): ("Half", 16),
    ("m16n8k8", "bf16"): ("Bfloat16", 8),
    ("m16n8k16", "bf16"): ("Bfloat16", 16),
    ("m16n8k4", "tf32"): ("Tf32", 4),
    ("m16n8k8", "tf32"): ("Tf32", 8),
    ("m16n8k16", "s8"): ("Signed8", 16),
    ("m16n8k32", "s8"): ("Signed8", 32),
    ("m16n8k16", "u8"): ("Unsigned8", 16),
    ("m16n8k32", "u8"): ("Unsigned8", 32),
}
"""Shape of a product of matrices and type of its elements to a type of ours, and how deep it is."""
_OF_SPARSE: Final = {
    ("m16n8k32", "f16"): ("Half", 32),
    ("m16n8k32", "bf16"): ("Bfloat16", 32),
    ("m16n8k16", "tf32"): ("Tf32", 16),
    ("m16n8k64", "s8"): ("Signed8", 64),
    ("m16n8k64", "u8"): ("Unsigned8", 64),
}
"""The same where half of the left matrix is stored, with what tells where each element stands."""
_SUMS: Final = {"f32": "float", "s32": "int"}
_OF_DOUBLES: Final = {
    "m8n8k4": (1, 4),
    "m16n8k4": (2, 4),
    "m16n8k8": (2, 8),
    "m16n8k16": (2, 16),
}
"""Rows of A that a lane holds, and how deep the product is."""
_INTRINSIC: Final = re.compile(r"llvm\.(amdgcn\.[\w.]+)")
"""What a declaration is bound to by LLVM's own name: no machine's assembler knows an
instruction of that name.
"""
_OURS: Final = "kernelset."


def replace_inline_assembly(source: str) -> str:
    """Return a unit's source with each `asm` in C++; each line keeps its number.

    What no rule translates becomes the end of the run, with a finding, for the threads that
    come there.
    """
    if not any(word in source for word in _WORDS):
        return source
    seen = split_conditional_assembly(MaskedSource(source))
    return apply_edits(
        seen.text, [_edit(seen.text, each) for each in find_assembly_statements(seen)]
    )


def declares_amd_intrinsics(source: str) -> bool:
    """Tell whether a source without assembly declares intrinsics of AMD's devices by name."""
    return f'__asm__("{_OURS}amdgcn.' in source


def _edit(source: str, assembly: InlineAssembly) -> Edit:
    named = _INTRINSIC.fullmatch(assembly.template.strip("; "))
    text = (
        f'__asm__("{_OURS}{named[1]}")'
        if named
        else translate_assembly(assembly) or "::kernelset::unserved()"
    )
    lines = _LINE_END.findall(source, assembly.start, assembly.end)
    return assembly.start, assembly.end, text + "".join(lines)


@lru_cache(maxsize=1024)
def translate_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same on a CPU, empty where there is none."""
    if waits := _waits(assembly.template.strip("; \\")):
        return waits
    dot = _DOT.fullmatch(assembly.template.strip("; "))
    if dot and max(int(each) for each in dot.groups() if each) < len(assembly.operands):
        target, one, two, *rest = (
            assembly.operands[int(each or dot[1])].expression for each in dot.groups()
        )
        return f"(void)({target} = ks_dot_of_halves({one}, {two}, {rest[0]}))"
    changed = _CONVERSION.fullmatch(assembly.template.strip("; \n"))
    if changed and max(int(changed[2]), int(changed[3])) < len(assembly.operands):
        target, one = (
            assembly.operands[int(each)].expression for each in changed.groups()[1:]
        )
        return f"(void)({target} = {_OF_HALF[changed[1]]}({one}))"
    made = translation.translate_assembly(assembly)
    return (
        made
        if made and made != "__builtin_trap()"
        else translate_program(assembly, _ON_CPU)
    )


def _waits(template: str) -> str:
    """Return what stands for the waits and barriers of an AMD device, or for nothing at all;
    empty for other steps.
    """
    steps = _STEPS.split(template) if template else []
    barriers = [step for step in steps if _BARRIER.fullmatch(step)]
    if not all(step in barriers or _WAIT.fullmatch(step) for step in steps):
        return ""
    return "__syncthreads()" if barriers else '__asm__ volatile("" ::: "memory")'


def _matrices(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    targets = scope.split_vector(operands[0])
    if (
        "m8n8" not in modifiers
        or f"x{len(targets)}" not in modifiers
        or "b16" not in modifiers
    ):
        raise Untranslatable("ldmatrix")
    transposed = "true" if "trans" in modifiers else "false"
    call = f"{HELPER_NAMESPACE}load_matrices<{len(targets)}, {transposed}>({scope.format_address(operands[1])}, ks_read);"
    written = " ".join(
        scope.format_assignment(target, f"ks_read[{at}]")
        for at, target in enumerate(targets)
    )
    return f"{{ unsigned ks_read[{len(targets)}]; {call} {written} }}"


def _product(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    kinds = [
        word
        for word in modifiers
        if word in ("f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32")
    ]
    shape = next(
        (word for word in modifiers if word.startswith(("m16n8k", "m8n8k"))), ""
    )
    if kinds == ["f64"] * 4 and shape in _OF_DOUBLES:
        return _product_of_doubles(_OF_DOUBLES[shape], operands, scope)
    is_sparse = modifiers[0].split("::")[0] == "sp"
    known = (_OF_SPARSE if is_sparse else _OF_SIZES).get(
        (shape, kinds[1] if len(kinds) == 4 else "")
    )
    if known is None or len(operands) != (6 if is_sparse else 4):
        raise Untranslatable("mma")
    where = "".join(
        f", {scope.format_value(each, 'unsigned')}" for each in operands[4:]
    )
    if kinds == ["f16"] * 4:
        return _product_of_halves(known, operands, scope, where)
    if kinds[1] != kinds[2] or kinds[0] != kinds[3] or kinds[0] not in _SUMS:
        raise Untranslatable("mma")
    d, a, b, c = (scope.split_vector(each) for each in operands[:4])
    kind = _SUMS[kinds[0]]
    given = f"{_arrays('unsigned', scope, left=a, right=b)} {_arrays(kind, scope, before=c)}"
    call = f"{HELPER_NAMESPACE}multiply<{HELPER_NAMESPACE}{known[0]}, {known[1]}>(ks_sum, ks_left, ks_right, ks_before{where});"
    written = " ".join(
        scope.format_assignment(target, f"ks_sum[{at}]") for at, target in enumerate(d)
    )
    return f"{{ {given} {kind} ks_sum[4]; {call} {written} }}"


def _arrays(kind: str, scope: RegisterScope, **operands: Words) -> str:
    """Return arrays of what the operands of a product hold."""
    return " ".join(
        f"const {kind} ks_{name}[] = {{{', '.join(scope.format_value(each, kind) for each in words)}}};"
        for name, words in operands.items()
    )


def _product_of_doubles(
    size: tuple[int, int], operands: Words, scope: RegisterScope
) -> str:
    d, a, b, c = (scope.split_vector(each) for each in operands[:4])
    given = _arrays("double", scope, left=a, right=b, before=c)
    call = f"{HELPER_NAMESPACE}multiply_doubles<{size[0]}, {size[1]}>(ks_sum, ks_left, ks_right, ks_before);"
    written = " ".join(
        scope.format_assignment(target, f"ks_sum[{at}]") for at, target in enumerate(d)
    )
    return f"{{ {given} double ks_sum[{2 * size[0]}]; {call} {written} }}"


def _product_of_halves(
    of: tuple[str, int], operands: Words, scope: RegisterScope, where: str
) -> str:
    """Return a product whose sums are halves, two in a register: they are rounded once, at its
    end.
    """
    d, a, b, c = (scope.split_vector(each) for each in operands[:4])
    given = _arrays("unsigned", scope, left=a, right=b, before=c)
    call = f"{HELPER_NAMESPACE}multiply_to_halves<{of[1]}>(ks_sum, ks_left, ks_right, ks_before{where});"
    written = " ".join(
        scope.format_assignment(target, f"ks_sum[{at}]") for at, target in enumerate(d)
    )
    return f"{{ {given} unsigned ks_sum[2]; {call} {written} }}"


_ON_CPU: Final[dict[str, StatementRule]] = {"ldmatrix": _matrices, "mma": _product}
