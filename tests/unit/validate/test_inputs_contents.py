"""What buffers are filled with: the same for the same seed, within its bound, and of the element's own type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.validate.compare import is_constant, spread
from crawler.validate.elements import Element, element
from crawler.validate.inputs.contents import Content, Filling, filled
from crawler.validate.inputs.search import alternatives, first_contents
from crawler.validate.inputs.slots import Slot
from crawler.validate.inputs.trials import first_memory
from crawler.validate.numbers import Code, decode, encode
from crawler.validate.simt.execution import Access, Execution, Outcome
from crawler.validate.simt.signature import Form

CODES = list(Code)


@settings(deadline=None)
@given(st.sampled_from(CODES), st.sampled_from(list(Filling)), st.integers(1, 300), st.integers(0, 9))
def test_fewer_bytes_are_the_beginning_of_more(code: Code, filling: Filling, count: int, seed: int) -> None:
    of = Element(code.value, code.size, code)
    more = filled(Content(filling, 5), of, 2 * count * code.size, seed)
    fewer = filled(Content(filling, 5), of, count * code.size, seed)
    assert len(fewer) == count * code.size
    if filling is not Filling.PERMUTATION:
        assert more.startswith(fewer)


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(0, 99), st.integers(1, 50))
def test_indices_stay_below_their_bound_and_offsets_never_fall(count: int, seed: int, bound: int) -> None:
    of = Element("int", 4, Code.I32)
    indices = decode(Code.I32, filled(Content(Filling.SMALL, bound), of, 4 * count, seed))
    offsets = list(decode(Code.I32, filled(Content(Filling.RISING, bound), of, 4 * count, seed)))
    each = decode(Code.I32, filled(Content(Filling.PERMUTATION), of, 4 * count, seed))
    assert 0 <= min(indices) <= max(indices) < bound
    assert offsets == sorted(set(offsets))
    assert sorted(each) == list(range(count))


def test_small_numbers_of_every_type_are_not_all_alike() -> None:
    for code in (code for code in CODES if not code.is_real):
        of = Element(code.value, code.size, code)
        assert set(decode(code, filled(Content(Filling.SMALL, 2), of, 64 * code.size, 1))) == {0, 1}


@pytest.mark.parametrize("code", [code for code in CODES if code.is_real])
def test_special_values_are_there_and_survive_their_type(code: Code) -> None:
    of = Element(code.value, code.size, code)
    values = decode(code, filled(Content(Filling.SPECIAL), of, 4000 * code.size, 1))
    assert any(math.isnan(value) for value in values)
    assert 0.0 in values
    if code not in (Code.E4M3, Code.E4M3FNUZ, Code.E5M2FNUZ):
        assert math.inf in values
        assert -math.inf in values


@pytest.mark.parametrize("code", [Code.E4M3, Code.E5M2, Code.HALF, Code.BFLOAT16, Code.FLOAT])
def test_every_number_of_a_small_float_is_read_as_it_was_written(code: Code) -> None:
    numbers = [value / 4 for value in range(-12, 13) if code not in (Code.E4M3, Code.E5M2) or value % 4 == 0]
    fine = [value for value in numbers if abs(value) in (0, 1, 2, 3)] if code.size == 1 else numbers
    assert list(decode(code, encode(code, fine))) == fine


def test_types_are_known_by_their_names_and_sizes() -> None:
    assert element("c10::Half", Form.CLASS, 2).code is Code.HALF
    assert element("__nv_bfloat16", Form.CLASS, 2).code is Code.BFLOAT16
    assert element("c10::complex<double>", Form.CLASS, 16).code is Code.DOUBLE
    assert element("int4", Form.CLASS, 16).code is Code.I32
    assert element("float3", Form.CLASS, 12).code is Code.FLOAT
    assert element("unsigned long", Form.UNSIGNED, 8).code is Code.U64


def test_outputs_that_differ_by_rounding_lie_a_little_apart_and_others_far() -> None:
    gold, near = encode(Code.FLOAT, [1.0, -4.0, math.nan]), encode(Code.FLOAT, [1.0, -4.001, math.nan])
    apart = spread(Code.FLOAT, gold, near)
    assert apart.absolute == pytest.approx(0.001, rel=1e-3)
    assert apart.relative == pytest.approx(0.00025, rel=1e-3)
    assert spread(Code.FLOAT, gold, encode(Code.FLOAT, [1.0, -4.0, 0.0])).absolute == math.inf
    assert spread(Code.I32, b"\0\0\0\0", b"\1\0\0\0").absolute == math.inf
    assert spread(Code.FLOAT, gold, gold).is_none


def test_an_output_of_one_value_is_constant() -> None:
    assert is_constant(Code.FLOAT, encode(Code.FLOAT, [2.0] * 9))
    assert not is_constant(Code.FLOAT, encode(Code.FLOAT, [2.0, 3.0]))


def test_links_lead_to_a_later_place_or_to_an_end() -> None:
    of = Element("int", 4, Code.I32)
    links = decode(Code.I32, filled(Content(Filling.LINKS, 4), of, 4 * 500, 3))
    assert all(-4 <= link < 0 or link > at for at, link in enumerate(links))
    assert 150 < sum(link < 0 for link in links) < 350


def test_names_tell_offsets_and_links_from_other_whole_numbers() -> None:
    of = Element("int", 4, Code.I32)
    names = ("query_boundaries", "left_child", "next_index", "labels")
    slots = [Slot(name, at, 0, of, True) for at, name in enumerate(names)]
    made = [each.filling for each in first_contents(slots, of)]
    assert made == [Filling.RISING, Filling.LINKS, Filling.LINKS, Filling.SMALL]


def test_keys_name_places_in_their_upper_halves_in_order() -> None:
    content, of = Content(Filling.KEYS, 2), Element("uint64_t", 8, Code.U64)
    keys = [int(key) for key in decode(Code.U64, filled(content, of, 8 * 300, 1))]
    places = [key >> 32 for key in keys]
    assert places == sorted(places)
    assert {two - one for one, two in pairwise(places)} == {0, 1}
    assert {key & 0xFFFFFFFF for key in keys} == {0, 1, 2, 3}


def test_locks_are_open_whatever_else_is_tried() -> None:
    of = Element("int", 4, Code.I32)
    names = ("wlocks", "lock", "mutex_", "blocks", "clocks")
    memory = first_memory(_slots(names, of), first_contents(_slots(names, of), of), of)
    assert [each.filling for each in memory.contents] == [Filling.OPEN] * 3 + [Filling.SMALL] * 2
    assert filled(memory.contents[0], of, 8, 1) == bytes(8)
    read = Execution(outcome=Outcome.DONE, accesses=(Access(read=(0, 8), exposed=True),) * len(names))
    others = list(alternatives(memory, read, _slots(names, of)))
    assert len(others) > 1
    assert all(each.contents[0].filling in (Filling.OPEN, Filling.ZEROS) for each in others)


def _slots(names: Sequence[str], of: Element) -> list[Slot]:
    return [Slot(name, 0, 0, of, False) for name in names]
