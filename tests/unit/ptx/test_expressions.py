"""Instructions with one result: operators, helper functions and their types."""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate_registers


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("sub.rn.f32 x, y, y", "put(ks_x, as<float>(ks_y) - as<float>(ks_y));"),
        ("div.full.f32 x, y, y", "put(ks_x, as<float>(ks_y) / as<float>(ks_y));"),
        ("rem.u32 a, b, c", "put(ks_a, as<unsigned>(ks_b) % as<unsigned>(ks_c));"),
        ("mul.lo.u32 a, b, c", "put(ks_a, as<unsigned>(ks_b) * as<unsigned>(ks_c));"),
        ("and.pred p, p, q", "put(ks_p, as<bool>(ks_p) & as<bool>(ks_q));"),
        ("not.b32 a, b", "put(ks_a, ~as<unsigned>(ks_b));"),
        ("not.pred p, q", "put(ks_p, !as<bool>(ks_q));"),
        ("neg.s32 a, b", "put(ks_a, -as<int>(ks_b));"),
    ],
)
def test_arithmetic_is_cpps_operator_on_the_type(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("mul.hi.s32 a, b, c", "put(ks_a, mul_hi(as<int>(ks_b), as<int>(ks_c)));"),
        (
            "mul.wide.u16 a, h, g",
            "put(ks_a, static_cast<unsigned>(as<unsigned short>(ks_h)) * static_cast<unsigned>(as<unsigned short>(ks_g)));",
        ),
        (
            "mad.wide.s32 w, a, b, v",
            "put(ks_w, static_cast<long long>(as<int>(ks_a)) * static_cast<long long>(as<int>(ks_b)) + as<long long>(ks_v));",
        ),
        (
            "mad.lo.s32 a, b, c, d",
            "put(ks_a, as<int>(ks_b) * as<int>(ks_c) + as<int>(ks_d));",
        ),
    ],
)
def test_products_are_as_wide_as_their_mode_says(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "fma.rn.f32 x, y, y, x",
            "put(ks_x, fma(as<float>(ks_y), as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "mad.rn.f32 x, y, y, x",
            "put(ks_x, fma(as<float>(ks_y), as<float>(ks_y), as<float>(ks_x)));",
        ),
    ],
)
def test_a_fused_product_is_rounded_once(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("min.s32 a, b, c", "put(ks_a, min(as<int>(ks_b), as<int>(ks_c)));"),
        (
            "min.NaN.f32 x, y, y",
            "put(ks_x, min_nan(as<float>(ks_y), as<float>(ks_y)));",
        ),
        ("shl.b32 a, b, 3", "put(ks_a, shl(as<unsigned>(ks_b), as<unsigned>(3)));"),
        ("popc.b32 a, b", "put(ks_a, popc(as<unsigned>(ks_b)));"),
        ("abs.f32 x, y", "put(ks_x, abs(as<float>(ks_y)));"),
        ("sqrt.rn.f32 x, y", "put(ks_x, sqrt(as<float>(ks_y)));"),
        ("rsqrt.approx.ftz.f32 x, y", "put(ks_x, rsqrt(as<float>(ks_y)));"),
    ],
)
def test_what_cpp_has_no_operator_for_is_a_helper(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "add.rn.bf16 h, g, g",
            "put(ks_h, __hadd(as<__hip_bfloat16>(ks_g), as<__hip_bfloat16>(ks_g)));",
        ),
        (
            "max.f16x2 a, b, c",
            "put(ks_a, __hmax2(as<__half2>(ks_b), as<__half2>(ks_c)));",
        ),
        ("ex2.approx.f16 h, g", "put(ks_h, hexp2(as<__half>(ks_g)));"),
        ("ex2.approx.ftz.bf16x2 a, b", "put(ks_a, h2exp2(as<__hip_bfloat162>(ks_b)));"),
        (
            "add.f16x2 a, b, c",
            "put(ks_a, add_f16x2(as<unsigned>(ks_b), as<unsigned>(ks_c)));",
        ),
    ],
)
def test_halves_have_functions_for_one_and_for_two(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "set.lt.u32.f16x2 a, b, c",
            "put(ks_a, compared_halves<Compare::lt, false>(as<unsigned>(ks_b), as<unsigned>(ks_c)));",
        ),
        (
            "set.gtu.s32.f16x2 a, b, c",
            "put(ks_a, compared_halves<Compare::gt, true>(as<unsigned>(ks_b), as<unsigned>(ks_c)));",
        ),
    ],
)
def test_pairs_of_halves_are_compared_ordered_or_not(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "dp4a.u32.s32 a, b, c, d",
            "put(ks_a, dot<unsigned char, signed char, 0, 4>(as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(ks_d)));",
        ),
        (
            "dp2a.lo.u32.u32 a, b, c, d",
            "put(ks_a, dot<unsigned short, unsigned char, 0, 2>(as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(ks_d)));",
        ),
        (
            "dp2a.hi.s32.u32 a, b, c, d",
            "put(ks_a, dot<short, unsigned char, 2, 2>(as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(ks_d)));",
        ),
    ],
)
def test_a_dot_product_says_which_bytes_it_takes(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    "instruction",
    [
        "sub.rz.f32 x, y, y",
        "not.f32 x, y",
        "rem.f32 x, y, y",
        "and.f32 x, y, y",
        "sqrt.rn.f64 w, v",
        "mul.wide.u64 w, v, v",
        "mul.wide.u32 w, a, b, c",
        "mad.wide.u64 w, v, v, v",
        "mad.wide.u32 w, a, b",
        "mad.hi.u32 a, b, c",
        "add.sat.u32 a, b, c",
        "add.sat.f64 w, v, v",
        "add.sat.f16 h, g, g",
        "tanh.rn.f16 h, g",
        "popc.f16 h, g",
        "set.lt.f32.f16x2 a, b, c",
        "set.num.u32.f16x2 a, b, c",
        "set.lt.u32.f16x2 a, b",
        "dp4a.f32.s32 a, b, c, d",
        "dp4a.s32.s32 a, b, c",
        "dp4a.s32 a, b, c, d",
        "dp2a.mid.s32.s32 a, b, c, d",
        "add a, b, c",
        "add.u32.s32 a, b, c",
        "add.u32 a",
    ],
)
def test_an_expression_without_a_rule_is_left(instruction: str) -> None:
    assert translate_registers(instruction) == ""
