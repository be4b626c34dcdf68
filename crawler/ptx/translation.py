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

_NUMBERED_OPERAND: Final = re.compile(r"%(\d+)")
_INTEGER: Final = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")
_TRAP: Final = "__builtin_trap()"


@lru_cache(maxsize=1024)
def translate_assembly(assembly: InlineAssembly) -> str:
    """Return the expression that does the same in HIP, empty where there is none."""
    if not assembly.is_template_known:
        return ""
    if assembly.template in FENCE_STATEMENTS and not assembly.outputs:
        return FENCE_STATEMENTS[assembly.template]

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

    program = parse_program(assembly.template)
    opcodes = [
        instruction.opcode
        for instruction in program
        if instruction.opcode != REGISTER_DECLARATION
    ]
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
    return any(map(_is_no_ptx, parse_program(assembly.template)))


def _is_no_ptx(instruction: Instruction) -> bool:
    name, *modifiers = instruction.opcode.split(".")
    # Types are PTX's own: an assembler of another machine writes none.
    if CPP_TYPES.keys().isdisjoint(modifiers):
        return False

    lacks_mode = name == "dp2a" and not {"lo", "hi"} & set(modifiers)
    return name not in OPCODES or instruction.is_malformed or lacks_mode


def _translate_to_call(assembly: InlineAssembly) -> str:
    """Return the call that a single instruction is, empty where it is none."""
    # Most assembly in public code is one instruction: a call is easier to read than a block.
    opcode, _, operands = assembly.template.removesuffix(";").partition(" ")
    destination, *sources = (operand.strip() for operand in operands.split(","))
    if assembly.outputs != 1 or destination != "%0":
        return ""

    target = assembly.operands[0].expression
    is_move = opcode.startswith("mov.") and len(sources) == 1
    if is_move and sources[0] in REGISTER_FUNCTIONS:
        return f"({target}) = {call_helper(REGISTER_FUNCTIONS[sources[0]])}"

    arguments = [_format_argument(source, assembly) for source in sources]
    if opcode not in HIP_FUNCTIONS or not all(arguments):
        return ""

    return f"({target}) = {call_helper(HIP_FUNCTIONS[opcode], *arguments)}"


def _format_argument(source: str, assembly: InlineAssembly) -> str:
    """Return the expression of a numbered operand, or a number; empty for anything else."""
    reference = _NUMBERED_OPERAND.fullmatch(source)
    if reference is None:
        return source if _INTEGER.fullmatch(source) else ""

    number = int(reference[1])
    if number >= len(assembly.operands):
        return ""

    return assembly.operands[number].expression
