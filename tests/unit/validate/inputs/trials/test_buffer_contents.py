"""What buffers are filled with: the same for the same seed, within its bound, and of the
element's own type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.validate.emulator.execution import BufferAccess, Execution, Outcome
from crawler.validate.inputs.arguments.argument_layout import BufferSlot
from crawler.validate.inputs.trials.buffer_contents import (
    Filling,
    FillPattern,
    generate_content,
)
from crawler.validate.inputs.trials.content_search import (
    choose_initial_patterns,
    list_alternative_contents,
)
from crawler.validate.inputs.trials.trial import build_initial_memory
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
    of = ElementType(code.value, code.size, code)
    more = generate_content(FillPattern(filling, 5), of, 2 * count * code.size, seed)
    fewer = generate_content(FillPattern(filling, 5), of, count * code.size, seed)
    assert len(fewer) == count * code.size
    if filling is not Filling.PERMUTATION:
        assert more.startswith(fewer)


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(0, 99), st.integers(1, 50))
def test_indices_stay_below_their_bound_and_offsets_never_fall(
    count: int, seed: int, bound: int
) -> None:
    of = ElementType("int", 4, ScalarType.I32)
    indices = decode(
        ScalarType.I32,
        generate_content(
            FillPattern(Filling.SMALL_INTEGERS, bound), of, 4 * count, seed
        ),
    )
    offsets = list(
        decode(
            ScalarType.I32,
            generate_content(
                FillPattern(Filling.ASCENDING, bound), of, 4 * count, seed
            ),
        )
    )
    each = decode(
        ScalarType.I32,
        generate_content(FillPattern(Filling.PERMUTATION), of, 4 * count, seed),
    )
    assert 0 <= min(indices) <= max(indices) < bound
    assert offsets == sorted(set(offsets))
    assert sorted(each) == list(range(count))


def test_small_numbers_of_every_type_are_not_all_alike() -> None:
    for code in (code for code in CODES if not code.is_real):
        of = ElementType(code.value, code.size, code)
        assert set(
            decode(
                code,
                generate_content(
                    FillPattern(Filling.SMALL_INTEGERS, 2), of, 64 * code.size, 1
                ),
            )
        ) == {0, 1}


@pytest.mark.parametrize("code", [code for code in CODES if code.is_real])
def test_special_values_are_there_and_survive_their_type(code: ScalarType) -> None:
    of = ElementType(code.value, code.size, code)
    values = decode(
        code,
        generate_content(FillPattern(Filling.SPECIAL_VALUES), of, 4000 * code.size, 1),
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
    of = ElementType("int", 4, ScalarType.I32)
    links = decode(
        ScalarType.I32,
        generate_content(FillPattern(Filling.FORWARD_LINKS, 4), of, 4 * 500, 3),
    )
    assert all(-4 <= link < 0 or link > at for at, link in enumerate(links))
    assert 150 < sum(link < 0 for link in links) < 350


def test_names_tell_offsets_and_links_from_other_whole_numbers() -> None:
    of = ElementType("int", 4, ScalarType.I32)
    names = ("query_boundaries", "left_child", "next_index", "labels")
    slots = [BufferSlot(name, at, 0, of, True) for at, name in enumerate(names)]
    made = [each.filling for each in choose_initial_patterns(slots, of)]
    assert made == [
        Filling.ASCENDING,
        Filling.FORWARD_LINKS,
        Filling.FORWARD_LINKS,
        Filling.SMALL_INTEGERS,
    ]


def test_keys_name_places_in_their_upper_halves_in_order() -> None:
    content, of = (
        FillPattern(Filling.PACKED_KEYS, 2),
        ElementType("uint64_t", 8, ScalarType.U64),
    )
    keys = [
        int(key)
        for key in decode(ScalarType.U64, generate_content(content, of, 8 * 300, 1))
    ]
    places = [key >> 32 for key in keys]
    assert places == sorted(places)
    assert {two - one for one, two in pairwise(places)} == {0, 1}
    assert {key & 0xFFFFFFFF for key in keys} == {0, 1, 2, 3}


def test_locks_are_open_whatever_else_is_tried() -> None:
    of = ElementType("int", 4, ScalarType.I32)
    names = ("wlocks", "lock", "mutex_", "blocks", "clocks")
    memory = build_initial_memory(
        _slots(names, of), choose_initial_patterns(_slots(names, of), of), of
    )
    assert [each.filling for each in memory.patterns] == [Filling.UNLOCKED] * 3 + [
        Filling.SMALL_INTEGERS
    ] * 2
    assert generate_content(memory.patterns[0], of, 8, 1) == bytes(8)
    read = Execution(
        outcome=Outcome.DONE,
        accesses=(BufferAccess(read_range=(0, 8), is_input=True),) * len(names),
    )
    others = list(list_alternative_contents(memory, read, _slots(names, of)))
    assert len(others) > 1
    assert all(
        each.patterns[0].filling in (Filling.UNLOCKED, Filling.ZEROS) for each in others
    )


def _slots(names: Sequence[str], of: ElementType) -> list[BufferSlot]:
    return [BufferSlot(name, 0, 0, of, False) for name in names]
