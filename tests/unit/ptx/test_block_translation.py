"""A block of HIP: operands are read once before it, and outputs written once behind it."""

from __future__ import annotations

import pytest

from crawler.ptx.block_translation import translate_program
from crawler.ptx.registers import RegisterScope, Words
from tests.unit.ptx.assembly import make_assembly, translate


def test_inputs_are_read_and_outputs_are_written() -> None:
    assert translate("add.u32 %0, %1, %2;", "=r", "r", "r") == (
        "({ unsigned ks_0; "
        "unsigned ks_1 = as<unsigned>(x1); "
        "unsigned ks_2 = as<unsigned>(x2); "
        "put(ks_0, as<unsigned>(ks_1) + as<unsigned>(ks_2)); "
        "put(x0, ks_0); })"
    )


def test_what_is_read_and_written_is_both() -> None:
    assembly = make_assembly("add.u32 %0, %0, 1;", "+r")
    text = translate_program(assembly).replace("::kernelset::ptx::", "")
    assert text.startswith("({ unsigned ks_0 = as<unsigned>(x0); ")


def test_an_immediate_stays_a_constant_of_its_own_type() -> None:
    translated = translate("add.u32 %0, %0, %1;", "=r", "n")
    assert "const auto ks_1 = (x1);" in translated


@pytest.mark.parametrize(
    ("constraint", "cpp_type"),
    [
        ("r", "unsigned"),
        ("l", "unsigned long long"),
        ("h", "unsigned short"),
        ("f", "float"),
        ("d", "double"),
    ],
)
def test_a_constraint_is_a_type(constraint: str, cpp_type: str) -> None:
    translated = translate("prefetchu.L1 [%0];", constraint)
    assert translated == f"({{ {cpp_type} ks_0 = as<{cpp_type}>(x0); (void)0; }})"


@pytest.mark.parametrize("constraint", ["m", "", "C", "rl", "=&q"])
def test_an_unknown_constraint_has_no_translation(constraint: str) -> None:
    assert translate("trap; exit;", constraint) == ""


def test_registers_are_variables_by_their_names() -> None:
    template = ".reg .b64 %rd<1>, $p; mov.b64 %rd, 1;"
    assert translate(template, "r") == ""
    translated = translate(".reg .b64 %rd, $p; mov.b64 $p, 1;", "r")
    assert "unsigned long long ks_rd; unsigned long long ks__p;" in translated
    assert "put(ks__p, as<unsigned long long>(1));" in translated


@pytest.mark.parametrize(
    "template",
    [
        ".reg .b32 %1; mov.b32 %1, 0;",
        ".reg .b31 a; mov.b32 %0, 0;",
        ".reg .b32; mov.b32 %0, 0;",
        "mov.b32 %0, undeclared;",
        "mov.b32 %0, %7;",
        "@%0p mov.b32 %0, 0;",
        "",
        ";",
    ],
)
def test_what_is_no_program_has_no_translation(template: str) -> None:
    assert translate_program(make_assembly(template, "=r")) == ""


@pytest.mark.parametrize(("count", "is_translated"), [(40, True), (41, False)])
def test_a_program_of_many_instructions_is_left(
    count: int, is_translated: bool
) -> None:
    assembly = make_assembly("add.u32 %0, %0, 1; " * count, "+r")
    assert bool(translate_program(assembly)) == is_translated


def test_a_target_may_have_rules_of_its_own() -> None:
    def emit_halt(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
        return f"halt_{modifiers[0]}({scope.format_variable(operands[0])});"

    assembly = make_assembly("stop.now %0;", "r")
    assert translate_program(assembly) == ""
    translated = translate_program(assembly, {"stop": emit_halt})
    assert "halt_now(ks_0);" in translated
