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
from crawler.validate.emulator.source.amd_assembly import translate_amd_assembly
from crawler.validate.emulator.source.matrix_assembly import MATRIX_STATEMENTS

_LINE_END: Final = re.compile(r"\\?\n")
"""With what goes on with a macro behind it."""
_ASSEMBLY_WORDS: Final = ("asm", "__asm__", "__asm")
_INTRINSIC: Final = re.compile(r"llvm\.(amdgcn\.[\w.]+)")
"""What a declaration is bound to by LLVM's own name: no machine's assembler knows an
instruction of that name.
"""
_SYMBOL_PREFIX: Final = "kernelset."
_UNTRANSLATED: Final = "::kernelset::unserved()"
_TRAP: Final = "__builtin_trap()"


def replace_inline_assembly(source: str) -> str:
    """Return a unit's source with each `asm` in C++; each line keeps its number.

    What no rule translates becomes the end of the run, with a finding, for the threads that
    come there.
    """
    if not any(word in source for word in _ASSEMBLY_WORDS):
        return source

    # `asm("…" #if … "…" #endif)` becomes one statement for each branch
    masked, _ = split_conditional_assembly(MaskedSource(source))
    edits = [
        _replace_assembly(masked.text, assembly)
        for assembly in find_assembly_statements(masked)
    ]

    return apply_edits(masked.text, edits)


def declares_amd_intrinsics(source: str) -> bool:
    """Tell whether a source without assembly declares intrinsics of AMD's devices by name."""
    return f'__asm__("{_SYMBOL_PREFIX}amdgcn.' in source


def _replace_assembly(source: str, assembly: InlineAssembly) -> Edit:
    intrinsic = _INTRINSIC.fullmatch(assembly.template.strip("; "))
    text = translate_assembly(assembly) or _UNTRANSLATED
    if intrinsic:
        text = f'__asm__("{_SYMBOL_PREFIX}{intrinsic[1]}")'

    line_ends = _LINE_END.findall(source, assembly.start, assembly.end)

    return assembly.start, assembly.end, text + "".join(line_ends)


@lru_cache(maxsize=1024)
def translate_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same on a CPU, empty where there is none."""
    amd_expression = translate_amd_assembly(assembly)
    if amd_expression:
        return amd_expression

    expression = translation.translate_assembly(assembly)
    # a trap of the rules for a device says only that they know no better
    if expression and expression != _TRAP:
        return expression

    return translate_program(assembly, MATRIX_STATEMENTS)
