"""Translate multi-instruction PTX into a HIP block with variables for its registers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from crawler.ptx.expressions import (
    RegisterScope,
    Untranslatable,
    Words,
    translate_expression,
)
from crawler.ptx.inline_assembly import InlineAssembly
from crawler.ptx.instruction_tables import CPP_TYPES, REGISTER_FUNCTIONS
from crawler.ptx.statements import STATEMENT_RULES

_OPCODE: Final = re.compile(
    r"(?:@(?P<guard>!?%?[\w$]+) )?(?P<opcode>[a-z]\w*(?:(?:\.|::)\w+)*)(?: |\Z)"
)
_LABEL: Final = re.compile(r"\A[\w$%]+ ?:(?!:)")
_OPERAND: Final = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|[^,\[\]{}]+")
_ADDRESS: Final = re.compile(r"\[ ?(%?[\w$]+) ?(?:\+ ?(-?\w+) ?)?\]")
_REGISTERS: Final = re.compile(r"\.(\w+) (.+)")
_INTEGER: Final = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)U?")
_DECIMAL: Final = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?")
_FLOAT: Final = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")
_OF_CONSTRAINT: Final = {
    "r": "unsigned",
    "l": "unsigned long long",
    "h": "unsigned short",
    "f": "float",
    "d": "double",
}
StatementRule = Callable[[Words, Words, RegisterScope], str]
NO_RULES: Final[Mapping[str, StatementRule]] = MappingProxyType({})
_ALLOWED: Final = 40
"""Instructions above which an assembly is a program of its own, which no rule should read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One PTX instruction; `.reg` is one, too."""

    opcode: str
    operands: tuple[str, ...] = ()
    guard: str = ""
    is_malformed: bool = False
    """An operand is none as PTX writes it, as where a semicolon is missing."""


@lru_cache(maxsize=1024)
def parse_program(template: str) -> tuple[Instruction, ...]:
    """Return the instructions of an assembly; what does not begin as one does has an empty
    opcode.
    """
    return tuple(_instruction(text) for text in _split(template))


def translate_program(
    assembly: InlineAssembly, extra_rules: Mapping[str, StatementRule] = NO_RULES
) -> str:
    """Return a block of HIP that does the same, empty where a rule is missing for any of it.

    `extra_rules` are statements that another target than HIP has, by their first word.
    """
    program = parse_program(assembly.template)
    if not program or len(program) > _ALLOWED:
        return ""
    block = _Block(assembly, {**STATEMENT_RULES, **extra_rules})
    try:
        lines = [line for instruction in program for line in block.lines(instruction)]
    except Untranslatable:
        return ""
    return f"({{ {' '.join([*block.opening(), *lines, *block.closing()])} }})"


@dataclass(slots=True)
class _Block:
    """The variables of a block: operands are read once before it, and written after it."""

    assembly: InlineAssembly
    statements: Mapping[str, StatementRule]
    variables: dict[str, str] = field(default_factory=dict)
    """Name of a PTX register to its type in C++."""

    def opening(self) -> Iterator[str]:
        for number, operand in enumerate(self.assembly.operands):
            kind = self._type(number)
            if kind == "auto":
                yield f"const auto ks_{number} = ({operand.expression});"
            elif operand.constraint.startswith("="):
                yield f"{kind} ks_{number};"
            else:
                yield f"{kind} ks_{number} = ::kernelset::ptx::as<{kind}>({operand.expression});"

    def closing(self) -> Iterator[str]:
        for number, operand in enumerate(
            self.assembly.operands[: self.assembly.outputs]
        ):
            yield f"::kernelset::ptx::put({operand.expression}, ks_{number});"

    def _type(self, number: int) -> str:
        letter = self.assembly.operands[number].constraint.strip("=+&% ")
        if letter == "n":
            return "auto"
        if letter not in _OF_CONSTRAINT:
            raise Untranslatable(letter)
        return _OF_CONSTRAINT[letter]

    def lines(self, instruction: Instruction) -> Iterator[str]:
        if instruction.is_malformed:
            raise Untranslatable(instruction.opcode)
        if instruction.opcode == ".reg":
            yield from self._declared(instruction.operands)
            return
        name, _, rest = instruction.opcode.partition(".")
        modifiers = tuple(rest.split(".")) if rest else ()
        if name in self.statements:
            line = self.statements[name](modifiers, instruction.operands, self)
        else:
            line = self._assigned(name, modifiers, instruction.operands)
        if instruction.guard:
            negated = "!" if instruction.guard.startswith("!") else ""
            line = f"if ({negated}{self.format_variable(instruction.guard.lstrip('!'))}) {{ {line} }}"
        yield line

    def _declared(self, operands: tuple[str, ...]) -> Iterator[str]:
        kind = CPP_TYPES.get(operands[0])
        if kind is None:
            raise Untranslatable(operands[0])
        for name in operands[1:]:
            if not re.fullmatch(r"%?[\w$]+", name) or name.lstrip("%").isdigit():
                raise Untranslatable(name)
            self.variables[name] = kind
            yield f"{kind} {_variable(name)};"

    def _assigned(
        self, name: str, modifiers: tuple[str, ...], operands: tuple[str, ...]
    ) -> str:
        if not operands:
            raise Untranslatable(name)
        return self.format_assignment(
            operands[0], translate_expression(name, modifiers, operands[1:], self)
        )

    def format_assignment(self, destination: str, value: str) -> str:
        """Return the statement that writes a value into a register."""
        if destination == "_":
            return f"(void)({value});"
        return f"::kernelset::ptx::put({self.format_variable(destination)}, {value});"

    def format_variable(self, name: str) -> str:
        """Return the variable of a register or of a numbered operand."""
        if re.fullmatch(r"%\d+", name):
            if int(name[1:]) >= len(self.assembly.operands):
                raise Untranslatable(name)
            return f"ks_{name[1:]}"
        if name not in self.variables:
            raise Untranslatable(name)
        return _variable(name)

    def format_value(self, source: str, cpp_type: str) -> str:
        """Return a source operand as a C++ type."""
        found = _FLOAT.fullmatch(source)
        if found:
            bits = f"0x{found[1]}u" if found[1] else f"0x{found[2]}ull"
            return f"::kernelset::ptx::as<{cpp_type}>({bits})"
        if _DECIMAL.fullmatch(source) and cpp_type in ("float", "double"):
            return f"{cpp_type}({source})"
        if _INTEGER.fullmatch(source):
            return f"::kernelset::ptx::as<{cpp_type}>({source})"
        if source in REGISTER_FUNCTIONS:
            return f"::kernelset::ptx::as<{cpp_type}>(::kernelset::ptx::{REGISTER_FUNCTIONS[source]}())"
        return f"::kernelset::ptx::as<{cpp_type}>({self.format_variable(source)})"

    def format_address(self, operand: str) -> str:
        """Return what stands in square brackets, as a number."""
        found = _ADDRESS.fullmatch(operand)
        if found is None or (found[2] and not _INTEGER.fullmatch(found[2])):
            raise Untranslatable(operand)
        return f"{self.format_variable(found[1])}{f' + {found[2]}' if found[2] else ''}"

    def split_vector(self, operand: str) -> tuple[str, ...]:
        """Return the registers in braces, or the one that stands alone."""
        return tuple(each.strip() for each in operand.strip("{} ").split(","))


def _variable(name: str) -> str:
    return f"ks_{name.lstrip('%').replace('$', '_')}"


def _split(template: str) -> Iterator[str]:
    """Yield the texts between semicolons; braces that open or close a scope are dropped, those
    of vectors stay.
    """
    text = ""
    for character in template:
        if character in "{}" and not text.strip():
            continue
        if character == ";":
            if text.strip():
                yield text.strip()
            text = ""
        else:
            text += character
    if text.strip():
        yield text.strip()


def _instruction(text: str) -> Instruction:
    if text.startswith(".reg "):
        declared = _REGISTERS.fullmatch(
            text[5:].strip() if text[5:].startswith(".") else f".{text[5:].strip()}"
        )
        names = (
            tuple(name.strip() for name in declared[2].split(",")) if declared else ()
        )
        return Instruction(
            opcode=".reg", operands=(declared[1], *names) if declared else ("",)
        )
    if _LABEL.match(text):
        return Instruction(opcode="bra")
    found = _OPCODE.match(text)
    if found is None:
        return Instruction(opcode="")
    operands = tuple(
        each.strip() for each in _OPERAND.findall(text[found.end() :]) if each.strip()
    )
    malformed = any(
        " " in each and each[0] not in "[{" and not each.startswith("-")
        for each in operands
    )
    guard = found["guard"] or ""
    return Instruction(
        opcode=found["opcode"], operands=operands, guard=guard, is_malformed=malformed
    )
