"""Translate inline PTX statements into HIP, and classify those that cannot be translated."""

from __future__ import annotations

import re
from functools import lru_cache

from crawler.ptx import block_translation
from crawler.ptx.inline_assembly import InlineAssembly
from crawler.ptx.instruction_tables import (
    CPP_TYPES,
    FENCE_STATEMENTS,
    HIP_FUNCTIONS,
    INSTRUCTION_CLASSES,
    OPCODES,
    REGISTER_FUNCTIONS,
)

_NUMBERED = re.compile(r"%(\d+)")
_NUMBER = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")


@lru_cache(maxsize=1024)
def translate_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same in HIP, empty where there is none."""
    if not assembly.is_template_known:
        return ""
    if assembly.template in FENCE_STATEMENTS and not assembly.outputs:
        return FENCE_STATEMENTS[assembly.template]
    made = _function(assembly) or block_translation.translate_program(assembly)
    return "__builtin_trap()" if not made and _is_misspelt(assembly) else made


def classify_blocker(assembly: InlineAssembly) -> str:
    """Return the class of an assembly that cannot be ported, empty for one that can, and for
    what is no PTX.

    What is none of PTX's instructions is for another machine.
    """
    if not assembly.is_template_known:
        return "ptx"
    if translate_assembly(assembly):
        return ""
    program = block_translation.parse_program(assembly.template)
    opcodes = [
        instruction.opcode for instruction in program if instruction.opcode != ".reg"
    ]
    if not opcodes or any(
        opcode.partition(".")[0] not in OPCODES for opcode in opcodes
    ):
        return ""
    for kind, beginnings in INSTRUCTION_CLASSES.items():
        if any(opcode.startswith(beginnings) for opcode in opcodes):
            return kind
    return "tma_cluster" if "cluster" in assembly.template else "ptx"


def _is_misspelt(assembly: InlineAssembly) -> bool:
    """Tell whether this is meant for PTX and is none: nothing that was built runs it, for no
    assembler takes it.
    """
    for instruction in block_translation.parse_program(assembly.template):
        name, *modifiers = instruction.opcode.split(".")
        typed = any(word in CPP_TYPES for word in modifiers)
        lacks_mode = name == "dp2a" and not {"lo", "hi"} & set(modifiers)
        if typed and (name not in OPCODES or instruction.is_malformed or lacks_mode):
            return True
    return False


def _function(assembly: InlineAssembly) -> str:
    """Return the call that a single instruction is."""
    opcode, _, rest = assembly.template.removesuffix(";").partition(" ")
    destination, *sources = (operand.strip() for operand in rest.split(","))
    if assembly.outputs != 1 or destination != "%0":
        return ""
    target = assembly.operands[0].expression
    if (
        opcode.startswith("mov.")
        and len(sources) == 1
        and sources[0] in REGISTER_FUNCTIONS
    ):
        return f"({target}) = ::kernelset::ptx::{REGISTER_FUNCTIONS[sources[0]]}()"
    arguments = [_argument(source, assembly) for source in sources]
    if opcode not in HIP_FUNCTIONS or not all(arguments):
        return ""
    return f"({target}) = ::kernelset::ptx::{HIP_FUNCTIONS[opcode]}({', '.join(arguments)})"


def _argument(source: str, assembly: InlineAssembly) -> str:
    reference = _NUMBERED.fullmatch(source)
    if reference:
        number = int(reference[1])
        return (
            assembly.operands[number].expression
            if number < len(assembly.operands)
            else ""
        )
    return source if _NUMBER.fullmatch(source) else ""
