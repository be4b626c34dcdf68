"""What buffers are filled with: the same for the same seed, within its bound, and of the
element's own type.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.validate.inputs.trials.buffer_contents import generate_content
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.values.comparison import is_constant
from crawler.validate.values.deviation import measure_deviation
from crawler.validate.values.element_types import ElementType, resolve_element_type
from crawler.validate.values.parameter_types import TypeKind
from crawler.validate.values.scalar_types import ScalarType, decode, encode

CODES = list(ScalarType)


@settings(deadline=None)
@given(
    st.sampled_from(CODES),
    st.sampled_from(list(Filling)),
    st.integers(1, 300),
    st.integers(0, 9),
)
def test_fewer_bytes_are_the_beginning_of_more(
    code: ScalarType, filling: Filling, count: int, seed: int
) -> None:
    element = ElementType(code.value, code.size, code)
    longer = generate_content(
        FillPattern(filling, 5), element, 2 * count * code.size, seed
    )
    shorter = generate_content(
        FillPattern(filling, 5), element, count * code.size, seed
    )
    assert len(shorter) == count * code.size
    if filling is not Filling.PERMUTATION:
        assert longer.startswith(shorter)


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(0, 99), st.integers(1, 50))
def test_indices_stay_below_their_bound_and_offsets_never_fall(
    count: int, seed: int, bound: int
) -> None:
    element = ElementType("int", 4, ScalarType.I32)
    indices = decode(
        ScalarType.I32,
        generate_content(
            FillPattern(Filling.SMALL_INTEGERS, bound), element, 4 * count, seed
        ),
    )
    offsets = list(
        decode(
            ScalarType.I32,
            generate_content(
                FillPattern(Filling.ASCENDING, bound), element, 4 * count, seed
            ),
        )
    )
    pattern = decode(
        ScalarType.I32,
        generate_content(FillPattern(Filling.PERMUTATION), element, 4 * count, seed),
    )
    assert 0 <= min(indices) <= max(indices) < bound
    assert offsets == sorted(set(offsets))
    assert sorted(pattern) == list(range(count))


def test_small_numbers_of_every_type_are_not_all_alike() -> None:
    for code in (code for code in CODES if not code.is_real):
        element = ElementType(code.value, code.size, code)
        assert set(
            decode(
                code,
                generate_content(
                    FillPattern(Filling.SMALL_INTEGERS, 2), element, 64 * code.size, 1
                ),
            )
        ) == {0, 1}


@pytest.mark.parametrize("code", [code for code in CODES if code.is_real])
def test_special_values_are_there_and_survive_their_type(code: ScalarType) -> None:
    element = ElementType(code.value, code.size, code)
    values = decode(
        code,
        generate_content(
            FillPattern(Filling.SPECIAL_VALUES), element, 4000 * code.size, 1
        ),
    )
    assert any(math.isnan(value) for value in values)
    assert 0.0 in values
    if code not in (ScalarType.E4M3, ScalarType.E4M3FNUZ, ScalarType.E5M2FNUZ):
        assert math.inf in values
        assert -math.inf in values


@pytest.mark.parametrize(
    "code",
    [
        ScalarType.E4M3,
        ScalarType.E5M2,
        ScalarType.HALF,
        ScalarType.BFLOAT16,
        ScalarType.FLOAT,
    ],
)
def test_every_number_of_a_small_float_is_read_as_it_was_written(
    code: ScalarType,
) -> None:
    numbers = [
        value / 4
        for value in range(-12, 13)
        if code not in (ScalarType.E4M3, ScalarType.E5M2) or value % 4 == 0
    ]
    fine = (
        [value for value in numbers if abs(value) in (0, 1, 2, 3)]
        if code.size == 1
        else numbers
    )
    assert list(decode(code, encode(code, fine))) == fine


def test_types_are_known_by_their_names_and_sizes() -> None:
    assert (
        resolve_element_type("c10::Half", TypeKind.CLASS, 2).scalar is ScalarType.HALF
    )
    assert (
        resolve_element_type("__nv_bfloat16", TypeKind.CLASS, 2).scalar
        is ScalarType.BFLOAT16
    )
    assert (
        resolve_element_type("c10::complex<double>", TypeKind.CLASS, 16).scalar
        is ScalarType.DOUBLE
    )
    assert resolve_element_type("int4", TypeKind.CLASS, 16).scalar is ScalarType.I32
    assert resolve_element_type("float3", TypeKind.CLASS, 12).scalar is ScalarType.FLOAT
    assert (
        resolve_element_type("unsigned long", TypeKind.UNSIGNED, 8).scalar
        is ScalarType.U64
    )


def test_outputs_that_differ_by_rounding_lie_a_little_apart_and_others_far() -> None:
    gold, near = (
        encode(ScalarType.FLOAT, [1.0, -4.0, math.nan]),
        encode(ScalarType.FLOAT, [1.0, -4.001, math.nan]),
    )
    apart = measure_deviation(ScalarType.FLOAT, gold, near)
    assert apart.absolute == pytest.approx(0.001, rel=1e-3)
    assert apart.relative == pytest.approx(0.00025, rel=1e-3)
    assert (
        measure_deviation(
            ScalarType.FLOAT, gold, encode(ScalarType.FLOAT, [1.0, -4.0, 0.0])
        ).absolute
        == math.inf
    )
    assert (
        measure_deviation(ScalarType.I32, b"\0\0\0\0", b"\1\0\0\0").absolute == math.inf
    )
    assert measure_deviation(ScalarType.FLOAT, gold, gold).is_zero


def test_an_output_of_one_value_is_constant() -> None:
    assert is_constant(ScalarType.FLOAT, encode(ScalarType.FLOAT, [2.0] * 9))
    assert not is_constant(ScalarType.FLOAT, encode(ScalarType.FLOAT, [2.0, 3.0]))


def test_links_lead_to_a_later_place_or_to_an_end() -> None:
    element = ElementType("int", 4, ScalarType.I32)
    links = decode(
        ScalarType.I32,
        generate_content(FillPattern(Filling.FORWARD_LINKS, 4), element, 4 * 500, 3),
    )
    assert all(-4 <= link < 0 or link > index for index, link in enumerate(links))
    assert 150 < sum(link < 0 for link in links) < 350


def test_keys_name_places_in_their_upper_halves_in_order() -> None:
    content, element = (
        FillPattern(Filling.PACKED_KEYS, 2),
        ElementType("uint64_t", 8, ScalarType.U64),
    )
    keys = [
        int(key)
        for key in decode(
            ScalarType.U64, generate_content(content, element, 8 * 300, 1)
        )
    ]
    places = [key >> 32 for key in keys]
    assert places == sorted(places)
    assert {second - first for first, second in pairwise(places)} == {0, 1}
    assert {key & 0xFFFFFFFF for key in keys} == {0, 1, 2, 3}
