"""Less common instructions on integers: what they compute is tried on AMD's compiler, in
`tests/integration/port/test_port_ptx_semantics.py`.
"""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate_registers


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "shf.r.clamp.b32 a, b, c, d",
            "put(ks_a, funnel_right<true>(as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(ks_d)));",
        ),
        ("bfind.s64 a, w", "put(ks_a, leading_bit<false>(as<long long>(ks_w)));"),
        (
            "slct.b64.f32 w, w, v, x",
            "put(ks_w, (as<float>(ks_x) >= 0 ? as<unsigned long long>(ks_w) : as<unsigned long long>(ks_v)));",
        ),
        (
            "vsub.s32.u32.s32.sat a, b.b2, c",
            "put(ks_a, video<Subtract, int, true>("
            "static_cast<long long>(static_cast<unsigned char>(as<unsigned>(ks_b) >> 16)), "
            "static_cast<long long>(as<int>(ks_c))));",
        ),
        (
            "vabsdiff4.u32.u32.s32.add a, b, c, d",
            "put(ks_a, video_parts<Distance, 4, false, false, true, false, true>("
            "as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(ks_d)));",
        ),
    ],
)
def test_an_instruction_calls_its_helper_with_operands_of_its_types(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    "instruction",
    [
        "shf.l.wrap.b64 a, b, c, d",
        "shf.m.wrap.b32 a, b, c, d",
        "mul24.wide.u32 a, b, c",
        "slct.u32.u32 a, b, c, d",
        "bfind.u16 a, h",
        "vadd.u32.u32.u32.mul a, b, c, d",
        "vadd.u32.u32.u32 a, b, c.h2",
        "vadd.u32.u32.u32 a, b",
        "vadd4.u32.u32.u32 a, b.b0123, c, d",
        "vadd4.u32.u32.u32 a, b, c",
        "vset4.u32.u32.lt a, b, c, d",
        "bmsk.b32 a, b, c",
        "szext.wrap.u64 w, v, a",
        "szext.wrap.u32 a, b",
        "cnot.u32 a, b",
        "sad.f32 x, y, y, x",
    ],
)
def test_a_form_without_a_rule_is_left(instruction: str) -> None:
    assert translate_registers(instruction) == ""
