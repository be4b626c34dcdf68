"""Inline assembly of NVIDIA: what is a plain function of its operands in HIP, and what stands in the way of a port."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from crawler.model import Change
from crawler.port import ptx_program
from crawler.port.assembly import Assembly, statements
from crawler.port.instructions import CPP_TYPES, OPCODES, PTX, PTX_CLASSES, PTX_FENCES, PTX_REGISTERS
from crawler.visible import Edit, Visible

_NUMBERED = re.compile(r"%(\d+)")
_NUMBER = re.compile(r"-?(0x[0-9a-fA-F]+|\d+)")


def edits(seen: Visible) -> Iterator[tuple[Edit, Change]]:
    """Yield what every portable `asm(…)` becomes."""
    for assembly in statements(seen):
        text = replacement(assembly)
        if text:
            change = Change(rule="ptx", line=seen.line(assembly.start), before=assembly.template, after=text)
            yield (assembly.start, assembly.end, text), change


@lru_cache(maxsize=1024)
def replacement(assembly: Assembly) -> str:
    """Return the expression that does the same in HIP, empty where there is none."""
    if not assembly.is_known:
        return ""
    if assembly.template in PTX_FENCES and not assembly.outputs:
        return PTX_FENCES[assembly.template]
    made = _function(assembly) or ptx_program.translated(assembly)
    return "__builtin_trap()" if not made and _is_misspelt(assembly) else made


def blocker(assembly: Assembly) -> str:
    """Return the class of an assembly that cannot be ported, empty for one that can, and for what is no PTX.

    What is none of PTX's instructions is for another machine.
    """
    if not assembly.is_known:
        return "ptx"
    if replacement(assembly):
        return ""
    program = ptx_program.read(assembly.template)
    opcodes = [instruction.opcode for instruction in program if instruction.opcode != ".reg"]
    if not opcodes or any(opcode.partition(".")[0] not in OPCODES for opcode in opcodes):
        return ""
    for kind, beginnings in PTX_CLASSES.items():
        if any(opcode.startswith(beginnings) for opcode in opcodes):
            return kind
    return "tma_cluster" if "cluster" in assembly.template else "ptx"


def _is_misspelt(assembly: Assembly) -> bool:
    """Tell whether this is meant for PTX and is none: nothing that was built runs it, for no assembler takes it."""
    for instruction in ptx_program.read(assembly.template):
        name, *modifiers = instruction.opcode.split(".")
        typed = any(word in CPP_TYPES for word in modifiers)
        lacks_mode = name == "dp2a" and not {"lo", "hi"} & set(modifiers)
        if typed and (name not in OPCODES or instruction.is_malformed or lacks_mode):
            return True
    return False


def _function(assembly: Assembly) -> str:
    """Return the call that a single instruction is."""
    opcode, _, rest = assembly.template.removesuffix(";").partition(" ")
    destination, *sources = (operand.strip() for operand in rest.split(","))
    if assembly.outputs != 1 or destination != "%0":
        return ""
    target = assembly.operands[0].expression
    if opcode.startswith("mov.") and len(sources) == 1 and sources[0] in PTX_REGISTERS:
        return f"({target}) = ::kernelset::ptx::{PTX_REGISTERS[sources[0]]}()"
    arguments = [_argument(source, assembly) for source in sources]
    if opcode not in PTX or not all(arguments):
        return ""
    return f"({target}) = ::kernelset::ptx::{PTX[opcode]}({', '.join(arguments)})"


def _argument(source: str, assembly: Assembly) -> str:
    reference = _NUMBERED.fullmatch(source)
    if reference:
        number = int(reference[1])
        return assembly.operands[number].expression if number < len(assembly.operands) else ""
    return source if _NUMBER.fullmatch(source) else ""
