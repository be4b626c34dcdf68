"""Translate multi-instruction PTX into a HIP block with variables for its registers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from crawler.ptx.arithmetic.carries import (
    declare_carry,
    is_extended,
    translate_extended,
)
from crawler.ptx.expressions import translate_expression
from crawler.ptx.inline_assembly import InlineAssembly
from crawler.ptx.instruction_tables import CPP_TYPES, REGISTER_FUNCTIONS
from crawler.ptx.program import REGISTER_DECLARATION, Instruction, parse_program
from crawler.ptx.registers import Untranslatable, call_helper
from crawler.ptx.statements import STATEMENT_RULES, StatementRule

# operands of PTX, one at a time: no C++
_REGISTER: Final = re.compile(r"%?[\w$]+")
_NUMBERED_OPERAND: Final = re.compile(r"%\d+")
_ADDRESS: Final = re.compile(r"\[ ?(%?[\w$]+) ?(?:\+ ?(-?\w+) ?)?\]")
_INTEGER: Final = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)U?")
_DECIMAL: Final = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?")
_HEXADECIMAL_FLOAT: Final = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")
_IMMEDIATE_CONSTRAINT: Final = "n"
_CONSTRAINT_TYPES: Final = {
    "r": "unsigned",
    "l": "unsigned long long",
    "h": "unsigned short",
    "f": "float",
    "d": "double",
}
_MAX_INSTRUCTIONS: Final = 40
"""Above these an assembly is a program of its own, which no rule should read."""

NO_RULES: Final[Mapping[str, StatementRule]] = MappingProxyType({})


def translate_program(
    assembly: InlineAssembly, extra_rules: Mapping[str, StatementRule] = NO_RULES
) -> str:
    """Return a block of HIP that does the same, empty where a rule is missing for any of it.

    `extra_rules` are statements that another target than HIP has, by their first word.
    """
    program = parse_program(assembly.template)
    if not program or len(program) > _MAX_INSTRUCTIONS:
        return ""

    block = _Block(assembly, {**STATEMENT_RULES, **extra_rules})
    lines: list[str] = []
    try:
        lines += block.opening()
        lines += declare_carry(program)
        for instruction in program:
            lines += block.translate(instruction)
    except Untranslatable:
        return ""

    lines += block.closing()
    return f"({{ {' '.join(lines)} }})"


@dataclass(slots=True)
class _Block:
    """The variables of a block: operands are read once before it, and written after it."""

    assembly: InlineAssembly
    rules: Mapping[str, StatementRule]
    register_types: dict[str, str] = field(default_factory=dict)
    """Name of a declared PTX register to its type in C++."""

    def opening(self) -> Iterator[str]:
        """Yield the declarations of the variables that stand for operands."""
        for number, operand in enumerate(self.assembly.operands):
            cpp_type = _operand_type(operand.constraint)
            # an immediate has to stay a constant: it may become a template argument
            if cpp_type == "auto":
                yield f"const auto ks_{number} = ({operand.expression});"
            elif operand.constraint.startswith("="):
                yield f"{cpp_type} ks_{number};"
            else:
                value = call_helper(f"as<{cpp_type}>", operand.expression)
                yield f"{cpp_type} ks_{number} = {value};"

    def closing(self) -> Iterator[str]:
        """Yield what writes the outputs back."""
        outputs = self.assembly.operands[: self.assembly.outputs]
        for number, operand in enumerate(outputs):
            call = call_helper("put", operand.expression, f"ks_{number}")
            yield f"{call};"

    def translate(self, instruction: Instruction) -> Iterator[str]:
        """Yield the statements of one instruction."""
        if instruction.is_malformed:
            raise Untranslatable(instruction.opcode)
        if instruction.opcode == REGISTER_DECLARATION:
            yield from self._declare(instruction.operands)
            return

        statement = self._translate_unguarded(instruction)
        if instruction.guard:
            condition = self._format_guard(instruction.guard)
            statement = f"if ({condition}) {{ {statement} }}"

        yield statement

    def _format_guard(self, guard: str) -> str:
        # e.g. `@!p exit`
        register = guard.lstrip("!")
        variable = self.format_variable(register)
        is_negated = guard.startswith("!")
        return f"!{variable}" if is_negated else variable

    def _translate_unguarded(self, instruction: Instruction) -> str:
        name, _, suffix = instruction.opcode.partition(".")
        modifiers = tuple(suffix.split(".")) if suffix else ()
        operands = instruction.operands
        try:
            if is_extended(instruction.opcode):
                value = translate_extended(name, modifiers, operands[1:], self)
                return self.format_assignment(operands[0], value)
            if name in self.rules:
                translate = self.rules[name]
                return translate(modifiers, operands, self)

            value = translate_expression(name, modifiers, operands[1:], self)
            return self.format_assignment(operands[0], value)
        except (LookupError, ValueError) as error:
            # Rules take operands and modifiers by their places: what lacks one is no PTX.
            raise Untranslatable(instruction.opcode) from error

    def _declare(self, operands: tuple[str, ...]) -> Iterator[str]:
        ptx_type, *names = operands
        cpp_type = CPP_TYPES.get(ptx_type)
        if cpp_type is None:
            raise Untranslatable(ptx_type)

        for name in names:
            # `%4` is an operand of the statement, no register of the block
            is_number = name.lstrip("%").isdigit()
            if is_number or not _REGISTER.fullmatch(name):
                raise Untranslatable(name)

            self.register_types[name] = cpp_type
            yield f"{cpp_type} {_variable_name(name)};"

    def format_assignment(self, destination: str, value: str) -> str:
        """Return the statement that writes a value into a register."""
        # PTX's sink: the value is computed for its effects alone
        if destination == "_":
            return f"(void)({value});"

        variable = self.format_variable(destination)
        call = call_helper("put", variable, value)
        return f"{call};"

    def format_variable(self, name: str) -> str:
        """Return the variable of a register or of a numbered operand."""
        if _NUMBERED_OPERAND.fullmatch(name):
            number = name[1:]
            if int(number) >= len(self.assembly.operands):
                raise Untranslatable(name)

            return f"ks_{number}"
        if name not in self.register_types:
            raise Untranslatable(name)

        return _variable_name(name)

    def format_value(self, source: str, cpp_type: str) -> str:
        """Return a source operand as a C++ type."""
        # a decimal number is converted, bits of a register are taken as they are
        if _DECIMAL.fullmatch(source) and cpp_type in ("float", "double"):
            return f"{cpp_type}({source})"

        operand = self._format_operand(source)
        return call_helper(f"as<{cpp_type}>", operand)

    def _format_operand(self, source: str) -> str:
        float_bits = _HEXADECIMAL_FLOAT.fullmatch(source)
        if float_bits:
            single, double = float_bits.groups()
            if single:
                return f"0x{single}u"
            return f"0x{double}ull"

        if _INTEGER.fullmatch(source):
            return source
        if source in REGISTER_FUNCTIONS:
            return call_helper(REGISTER_FUNCTIONS[source])

        return self.format_variable(source)

    def format_address(self, operand: str) -> str:
        """Return what stands in square brackets, as a number."""
        address = _ADDRESS.fullmatch(operand)
        if address is None:
            raise Untranslatable(operand)

        register, offset = address.groups()
        variable = self.format_variable(register)
        if not offset:
            return variable
        if not _INTEGER.fullmatch(offset):
            raise Untranslatable(operand)

        return f"{variable} + {offset}"

    def split_vector(self, operand: str) -> tuple[str, ...]:
        """Return the registers in braces, or the one that stands alone."""
        registers = operand.strip("{} ").split(",")
        return tuple(register.strip() for register in registers)


def _operand_type(constraint: str) -> str:
    letter = constraint.strip("=+&% ")
    if letter == _IMMEDIATE_CONSTRAINT:
        return "auto"
    if letter not in _CONSTRAINT_TYPES:
        raise Untranslatable(letter)

    return _CONSTRAINT_TYPES[letter]


def _variable_name(register: str) -> str:
    # PTX's names may hold a dollar sign, which not every C++ compiler takes
    name = register.lstrip("%")
    return "ks_" + name.replace("$", "_")
