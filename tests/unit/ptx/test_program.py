"""Templates of assembly as instructions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.ptx.program import Instruction, parse_program


def test_a_program_has_its_declarations_guards_and_operands() -> None:
    template = (
        "{ .reg .pred p; setp.ne.b32 p, %0, 0; @!p ld.global.v2.u32 {%1, %2}, [%3+8]; }"
    )
    assert parse_program(template) == (
        Instruction(opcode=".reg", operands=("pred", "p")),
        Instruction(opcode="setp.ne.b32", operands=("p", "%0", "0")),
        Instruction(
            opcode="ld.global.v2.u32", operands=("{%1, %2}", "[%3+8]"), guard="!p"
        ),
    )


@pytest.mark.parametrize(
    ("template", "opcode"),
    [
        ("again: add.u32 %0, %0, 1;", "bra"),
        (
            "cp.async.ca.shared.global.L2::128B [%0], [%1], 16;",
            "cp.async.ca.shared.global.L2::128B",
        ),
        ("V_DOT2_F32_F16 %0, %1, %2;", ""),
        ("exit", "exit"),
    ],
)
def test_the_opcode_is_what_an_instruction_begins_with(
    template: str, opcode: str
) -> None:
    (instruction,) = parse_program(template)
    assert instruction.opcode == opcode


@pytest.mark.parametrize(
    ("operand", "is_malformed"),
    [("%1 add.u32 %2", True), ("[%1 + 4]", False), ("-1", False), ("{%1, %2}", False)],
)
def test_a_missing_semicolon_is_seen(operand: str, is_malformed: bool) -> None:
    (instruction,) = parse_program(f"mov.u32 %0, {operand};")
    assert instruction.is_malformed == is_malformed


@given(st.text(alphabet="{};.,@!%[]: abr0"))
def test_any_template_is_read(template: str) -> None:
    for instruction in parse_program(template):
        assert all(operand == operand.strip() for operand in instruction.operands)
        assert all(instruction.operands) or instruction.opcode == ".reg"


@pytest.mark.parametrize("operand", ["{%0, %1}", "[%0]", "%0"])
def test_no_blank_is_needed_before_what_is_no_name(operand: str) -> None:
    [instruction] = parse_program(f"mma.sync.f32{operand};")
    assert (instruction.opcode, instruction.operands[0]) == ("mma.sync.f32", operand)
