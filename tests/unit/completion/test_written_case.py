"""A case that a model writes is data: what it leaves out stays, and what is not data is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.completion.written_case import (
    BadCase,
    list_numbers,
    list_scalars,
    read_case,
)
from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
)
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.scalar_types import ScalarType, decode, encode

BLOBS = Blobs()
POINTER = (CasePointer(at=0, buffer=0),)
BASE = Case(
    name="ordinary",
    kind=CaseKind.ORDINARY,
    grid=(2, 1, 1),
    block=(32, 1, 1),
    arguments=(
        CaseArgument(name="x", content="00" * 8, pointers=POINTER),
        CaseArgument(name="n", content=encode(ScalarType.I32, [40]).hex()),
        CaseArgument(name="scale", content=encode(ScalarType.FLOAT, [0.5]).hex()),
    ),
    buffers=(
        CaseBuffer(
            name="x",
            element="int",
            element_size=4,
            size=12,
            role=BufferRole.INOUT,
            content=BLOBS.put(encode(ScalarType.I32, [1, 2, 3])),
            gold="ab",
            written=(0, 12),
        ),
        CaseBuffer(
            name="table",
            element="void *",
            element_size=8,
            size=8,
            role=BufferRole.IN,
            content=BLOBS.put(bytes(8)),
            pointers=POINTER,
        ),
    ),
)
SCALARS = {"n": "int", "scale": "float"}


def read(written: object) -> Case:
    text = written if isinstance(written, str) else json.dumps(written)
    return read_case(text, BASE, SCALARS, BLOBS, "written")


def values_of(case: Case) -> list[float]:
    return list(decode(ScalarType.I32, BLOBS.get(case.buffers[0].content)))


def test_arguments_that_are_numbers_are_known_by_their_types() -> None:
    types = {"x": "int *", "n": "int", "scale": "float"}
    assert list_scalars(BASE, types) == SCALARS
    assert list_numbers(BASE, SCALARS) == {"n": 40, "scale": 0.5}


def test_what_is_left_out_stays_and_has_no_golden_output_yet() -> None:
    case = read({})
    assert (case.name, case.kind) == ("written", CaseKind.EXTRA)
    assert (case.grid, case.block) == (BASE.grid, BASE.block)
    assert case.arguments == BASE.arguments
    assert values_of(case) == [1, 2, 3]
    assert [buffer.gold for buffer in case.buffers] == ["", ""]


def test_what_is_written_stands_in_its_place() -> None:
    case = read(
        {
            "grid": [1, 2, 3],
            "arguments": {"n": 7, "scale": "-inf"},
            "buffers": {"x": {"count": 5, "values": [8, 9]}},
        }
    )
    assert case.grid == (1, 2, 3)
    assert list_numbers(case, SCALARS) == {"n": 7, "scale": "-inf"}
    assert values_of(case) == [8, 9, 8, 9, 8]


def test_a_larger_buffer_repeats_what_was_there() -> None:
    assert values_of(read({"buffers": {"x": {"count": 7}}})) == [1, 2, 3, 1, 2, 3, 1]
    assert values_of(read({"buffers": {"x": {"count": 0}}})) == []


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("n = 3", "not the JSON"),
        ("[" * 100_000, "not the JSON"),
        ({"code": "x"}, "not the JSON"),
        ({"grid": [0, 1, 1]}, "from 1"),
        ({"block": [1025, 1, 1]}, "at most 1024 threads"),
        ({"grid": [1 << 20, 1, 1]}, "together have at most"),
        ({"arguments": {"x": 1}}, "there is n, scale"),
        ({"arguments": {"n": "inf"}}, "neither nan nor inf"),
        ({"arguments": {"scale": "one"}}, "is no number"),
        ({"buffers": {"y": {}}}, "there is x, table"),
        ({"buffers": {"x": {"count": -1}}}, "from 0 on"),
        ({"buffers": {"x": {"count": 1 << 40}}}, "from 0 on"),
        ({"buffers": {"x": {"count": 1 << 23}}}, "together have at most"),
        ({"buffers": {"table": {"values": [1]}}}, "stays as it is"),
    ],
)
def test_what_is_no_case_is_refused_with_what_to_write(
    written: object, message: str
) -> None:
    with pytest.raises(BadCase, match=message):
        read(written)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["grid", "arguments", "buffers", "n", "x", "count", "values"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_answer_is_a_case_or_is_refused(written: Any) -> None:
    try:
        case = read(written)
    except BadCase:
        return
    assert sum(buffer.size for buffer in case.buffers) <= 16 << 20
    assert math.prod(case.grid) * math.prod(case.block) <= 1 << 20
    assert replace(case, buffers=()).arguments[0] == BASE.arguments[0]
