"""Arithmetic that hands a carry on: what it computes is tried on AMD's compiler, in
`tests/integration/port/test_port_ptx_semantics.py`.
"""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate


def test_a_carry_that_stays_within_an_assembly_is_a_variable_of_its_block() -> None:
    block = translate("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;", "=r", "=r", "r", "r")
    assert "unsigned ks_carry = 0;" in block
    assert (
        "add_carry<false, true>(as<unsigned>(ks_2), as<unsigned>(ks_3), ks_carry)"
        in block
    )
    assert "add_carry<true, false>(as<unsigned>(0), as<unsigned>(0), ks_carry)" in block


@pytest.mark.parametrize(
    "instruction", ["add.cc.u32", "addc.u32", "addc.cc.u32", "subc.cc.s32"]
)
def test_a_carry_that_comes_from_outside_or_goes_there_is_the_threads_own(
    instruction: str,
) -> None:
    block = translate(f"{instruction} %0, %1, %2;", "=r", "r", "r")
    assert "unsigned& ks_carry = carry();" in block


def test_what_knows_no_carry_declares_none() -> None:
    assert "ks_carry" not in translate(
        "add.u32 %0, %1, %2; mad.lo.u32 %0, %0, %1, 2;", "=r", "r", "r"
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "add.cc.f32",
        "addc.cc.cc.u32",
        "addc",
        "add.lo.cc.u32",
        "madc.u32",
        "madc.wide.u32",
        "madc.lo.cc.u32",
        "add.cc.b32",
    ],
)
def test_a_form_that_ptx_has_not_is_left(instruction: str) -> None:
    assert "ks_carry" not in translate(f"{instruction} %0, %1, %2;", "=r", "r", "r")
