"""Parse the template of inline assembly into PTX instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

REGISTER_DECLARATION: Final = ".reg"

# PTX is another language than C++: none of the readers of C++ text knows its words. Its
# operands need no blank before a bracket: `mma.sync.f32{%0, %1}`.
_OPCODE: Final = re.compile(
    r"(?:@(?P<guard>!?%?[\w$]+) )?(?P<opcode>[a-z]\w*(?:(?:\.|::)\w+)*)(?: |(?=[{\[%])|\Z)"
)
_LABEL: Final = re.compile(r"\A[\w$%]+ ?:(?!:)")
_OPERAND: Final = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|[^,\[\]{}]+")
_REGISTERS: Final = re.compile(r"\.(\w+) (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One PTX instruction; `.reg` is one, too."""

    opcode: str
    operands: tuple[str, ...] = ()
    """Of `.reg` the type and the names."""
    guard: str = ""
    """The predicate that it depends on, with `!` where that is negated."""
    is_malformed: bool = False
    """An operand is none as PTX writes it, as where a semicolon is missing."""


@lru_cache(maxsize=1024)
def parse_program(template: str) -> tuple[Instruction, ...]:
    """Return the instructions of an assembly; what does not begin as one does has an empty
    opcode.
    """
    return tuple(_parse_instruction(text) for text in split_statements(template))


def split_statements(template: str) -> Iterator[str]:
    """Yield the texts between semicolons; braces that open or close a scope are dropped, those
    of vectors stay.
    """
    statement = ""
    # e.g. `{ .reg .pred p; setp.ne.b32 p, %0, 0; @p exit; }`
    for character in template:
        if character in "{}" and not statement.strip():
            continue

        if character == ";":
            if statement.strip():
                yield statement.strip()

            statement = ""
        else:
            statement += character

    if statement.strip():
        yield statement.strip()


def _parse_instruction(text: str) -> Instruction:
    if text.startswith(f"{REGISTER_DECLARATION} "):
        return _parse_declaration(text.removeprefix(REGISTER_DECLARATION).strip())
    if _LABEL.match(text):
        # A label is where a branch goes to: no rule translates either.
        return Instruction(opcode="bra")

    head = _OPCODE.match(text)
    if head is None:
        return Instruction(opcode="")

    pieces = (piece.strip() for piece in _OPERAND.findall(text[head.end() :]))
    # `[%1+8]` and `{%0, %1}` are one operand each
    operands = tuple(piece for piece in pieces if piece)

    return Instruction(
        opcode=head["opcode"],
        operands=operands,
        guard=head["guard"] or "",
        is_malformed=any(map(_is_malformed, operands)),
    )


def _parse_declaration(text: str) -> Instruction:
    declaration = _REGISTERS.fullmatch(text if text.startswith(".") else f".{text}")
    if declaration is None:
        return Instruction(opcode=REGISTER_DECLARATION, operands=("",))

    ptx_type, names = declaration.groups()
    registers = [name.strip() for name in names.split(",")]

    return Instruction(opcode=REGISTER_DECLARATION, operands=(ptx_type, *registers))


def _is_malformed(operand: str) -> bool:
    return " " in operand and not operand.startswith(("[", "{", "-"))
