"""Translate inline PTX statements into HIP, and classify those that cannot be translated."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from crawler.ptx.block_translation import translate_program
from crawler.ptx.inline_assembly import InlineAssembly
from crawler.ptx.instruction_tables import (
    CPP_TYPES,
    FENCE_STATEMENTS,
    HIP_FUNCTIONS,
    INSTRUCTION_CLASSES,
    OPCODES,
    REGISTER_FUNCTIONS,
)
from crawler.ptx.program import REGISTER_DECLARATION, Instruction, parse_program
from crawler.ptx.registers import call_helper

# operands of PTX, one at a time
_NUMBERED_OPERAND: Final = re.compile(r"%(\d+)")
_INTEGER: Final = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")
_TRAP: Final = "__builtin_trap()"


@lru_cache(maxsize=1024)
def translate_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same in HIP, empty where there is none."""
    if not assembly.is_template_known:
        return ""

    template = assembly.template
    if template in FENCE_STATEMENTS and not assembly.outputs:
        return FENCE_STATEMENTS[template]

    translated = _translate_to_call(assembly) or translate_program(assembly)
    if translated:
        return translated
    return _TRAP if _is_misspelt(assembly) else ""


def classify_blocker(assembly: InlineAssembly) -> str:
    """Return the class of an assembly that cannot be ported, empty for one that can, and for
    what is no PTX.

    What is none of PTX's instructions is for another machine.
    """
    if not assembly.is_template_known:
        return "ptx"
    if translate_assembly(assembly):
        return ""

    opcodes = []
    for instruction in parse_program(assembly.template):
        if instruction.opcode != REGISTER_DECLARATION:
            opcodes.append(instruction.opcode)

    names = {opcode.partition(".")[0] for opcode in opcodes}
    if not names or not names <= OPCODES:
        return ""

    for blocker, prefixes in INSTRUCTION_CLASSES.items():
        if any(opcode.startswith(prefixes) for opcode in opcodes):
            return blocker
    return "tma_cluster" if "cluster" in assembly.template else "ptx"


def _is_misspelt(assembly: InlineAssembly) -> bool:
    """Tell whether this is meant for PTX and is none: nothing that was built runs it, for no
    assembler takes it.
    """
    program = parse_program(assembly.template)
    return any(map(_is_no_ptx, program))


def _is_no_ptx(instruction: Instruction) -> bool:
    name, *modifiers = instruction.opcode.split(".")
    # Types are PTX's own: an assembler of another machine writes none.
    if CPP_TYPES.keys().isdisjoint(modifiers):
        return False
    if name not in OPCODES or instruction.is_malformed:
        return True

    # `dp2a` takes the lower or the upper half of its second factor
    return name == "dp2a" and {"lo", "hi"}.isdisjoint(modifiers)


def _translate_to_call(assembly: InlineAssembly) -> str:
    """Return the call that a single instruction is, empty where it is none."""
    # Most assembly in public code is one instruction: a call is easier to read than a block.
    instruction = assembly.template.removesuffix(";")
    opcode, _, operand_list = instruction.partition(" ")
    operands = [operand.strip() for operand in operand_list.split(",")]
    destination, *sources = operands
    if assembly.outputs != 1 or destination != "%0":
        return ""

    target = assembly.operands[0].expression
    is_move = opcode.startswith("mov.") and len(sources) == 1
    if is_move and sources[0] in REGISTER_FUNCTIONS:
        value = call_helper(REGISTER_FUNCTIONS[sources[0]])
        return f"({target}) = {value}"

    if opcode not in HIP_FUNCTIONS:
        return ""
    arguments = [_format_argument(source, assembly) for source in sources]
    if not all(arguments):
        return ""
    value = call_helper(HIP_FUNCTIONS[opcode], *arguments)
    return f"({target}) = {value}"


def _format_argument(source: str, assembly: InlineAssembly) -> str:
    """Return the expression of a numbered operand, or a number; empty for anything else."""
    reference = _NUMBERED_OPERAND.fullmatch(source)
    if reference is None:
        is_number = _INTEGER.fullmatch(source) is not None
        return source if is_number else ""

    number = int(reference[1])
    if number >= len(assembly.operands):
        return ""
    return assembly.operands[number].expression
