"""`cvt`: which half is which, what is rounded, and what no rule has."""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate_registers


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvt.rn.satfinite.e4m3x2.f32 h, x, y",
            "put(ks_h, codes_of<E4M3>(as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "cvt.rz.satfinite.ue8m0x2.f32 h, x, y",
            "put(ks_h, codes_of<Scale<false>>(as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "cvt.rp.satfinite.ue8m0x2.f32 h, x, y",
            "put(ks_h, codes_of<Scale<true>>(as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "cvt.rn.f16x2.f32 a, x, y",
            "put(ks_a, pair_of<__half2>(as<float>(ks_y), as<float>(ks_x)));",
        ),
    ],
)
def test_the_first_of_two_floats_is_the_upper_small_float(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvt.rn.satfinite.e2m1x2.f16x2 h, a",
            "put(ks_h, codes_of<E2M1>(as<__half2>(ks_a)));",
        ),
        (
            "cvt.rn.f16x2.e5m2x2 a, h",
            "put(ks_a, halves_of<E5M2>(as<unsigned short>(ks_h)));",
        ),
        (
            "cvt.rn.bf16x2.ue8m0x2 a, h",
            "put(ks_a, scales_of(as<unsigned short>(ks_h)));",
        ),
    ],
)
def test_pairs_of_halves_and_of_small_floats_are_converted_as_they_lie(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvt.rn.relu.f16x2.f32 a, x, y",
            "put(ks_a, limited_pair_of<__half2, false, true>(as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "cvt.rn.satfinite.bf16x2.f32 a, x, y",
            "put(ks_a, limited_pair_of<__hip_bfloat162, true, false>(as<float>(ks_y), as<float>(ks_x)));",
        ),
        (
            "cvt.rn.satfinite.relu.bf16x2.f32 a, x, y",
            "put(ks_a, limited_pair_of<__hip_bfloat162, true, true>(as<float>(ks_y), as<float>(ks_x)));",
        ),
    ],
)
def test_limits_of_a_pair_are_told_apart(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvt.pack.sat.s8.s32.b32 a, b, c, d",
            "put(ks_a, side_by_side<8, true>(as<int>(ks_b), as<int>(ks_c), as<unsigned>(ks_d)));",
        ),
        (
            "cvt.pack.sat.u4.s32.b32 a, b, c, d",
            "put(ks_a, side_by_side<4, false>(as<int>(ks_b), as<int>(ks_c), as<unsigned>(ks_d)));",
        ),
        (
            "cvt.pack.sat.u16.s32 a, b, c",
            "put(ks_a, side_by_side<16, false>(as<int>(ks_b), as<int>(ks_c), 0u));",
        ),
    ],
)
def test_packed_integers_leave_room_for_a_third_word_below_16_bits(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("cvt.rni.s32.f32 a, x", "put(ks_a, rounded<int>(rint(as<float>(ks_x))));"),
        ("cvt.rzi.f32.f32 y, x", "put(ks_y, rounded<float>(trunc(as<float>(ks_x))));"),
        (
            "cvt.rmi.u32.f32 a, x",
            "put(ks_a, rounded<unsigned>(floor(as<float>(ks_x))));",
        ),
        (
            "cvt.rpi.s64.f64 w, v",
            "put(ks_w, rounded<long long>(ceil(as<double>(ks_v))));",
        ),
    ],
)
def test_a_float_is_rounded_the_way_that_is_named(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvt.u64.u32 w, a",
            "put(ks_w, convert<unsigned long long>(as<unsigned>(ks_a)));",
        ),
        ("cvt.rn.ftz.f32.f64 x, w", "put(ks_x, convert<float>(as<double>(ks_w)));"),
        ("cvt.sat.f32.s32 x, a", "put(ks_x, saturated<float>(as<int>(ks_a)));"),
    ],
)
def test_a_number_is_converted_from_its_type_and_saturated_where_it_says_so(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    "instruction",
    [
        "cvt.rn.satfinite.e5m2x2.f32 h, x",
        "cvt.rn.satfinite.e5m2x2.f64 h, x, y",
        "cvt.rz.satfinite.e4m3x2.f32 h, x, y",
        "cvt.rn.satfinite.relu.e4m3x2.f32 h, x, y",
        "cvt.rn.satfinite.e4m3x2.f16x2 h, a, b",
        "cvt.rn.e4m3x2.f32 h, x, y",
        "cvt.rn.f16x2.e5m2x2 a, h, g",
        "cvt.rn.satfinite.ue8m0x2.f32 h, x, y",
        "cvt.rn.bf16x2.ue8m0x2 a, h, g",
        "cvt.rz.satfinite.ue8m0x2.f32 h, x",
        "cvt.pack.sat.s16.s32.b32 a, b, c, d",
        "cvt.pack.sat.s8.s32 a, b, c",
        "cvt.pack.sat.s8.s32.b32 a, b, c",
        "cvt.pack.sat.s8.u32.b32 a, b, c, d",
        "cvt.pack.sat.s32.s32.b32 a, b, c, d",
        "cvt.pack.sat a, b",
        "cvt.rz.f16x2.f32 a, x, y",
        "cvt.rn.f16x2.f64 a, x, y",
        "cvt.rzi.u32.u32 a, b",
        "cvt.rm.f32.f64 x, w",
        "cvt.u32.f32 a, x, y",
        "cvt.u32 a, b",
        "cvt a, b",
    ],
)
def test_a_conversion_without_a_rule_is_left(instruction: str) -> None:
    assert translate_registers(instruction) == ""
