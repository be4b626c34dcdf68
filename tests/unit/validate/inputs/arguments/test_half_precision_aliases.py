"""Numbers of 16 bits that a project calls by what they are."""

from __future__ import annotations

import pytest

from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.arguments.half_precision_aliases import (
    apply_half_precision_aliases,
)
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

SHORT = BufferSlot("a", 0, 0, ElementType("unsigned short", 2, ScalarType.U16), True)
OTHER_SLOTS = (
    BufferSlot("b", 1, 0, ElementType("int", 4, ScalarType.I32), True),
    BufferSlot("c", 2, 0, None, False),
)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("using bhalf_t = ushort;", ScalarType.BFLOAT16),
        (
            "typedef unsigned short bf16_t;\nusing bhalf_t = uint16_t;",
            ScalarType.BFLOAT16,
        ),
        ("typedef uint16_t half_t;", ScalarType.HALF),
        ("typedef uint16_t half_t; using bfloat16_t = uint16_t;", ScalarType.U16),
        ("typedef ushort index_t; typedef ushort2 half2_t;", ScalarType.U16),
    ],
)
def test_the_only_alias_that_tells_says_what_buffers_hold(
    source: str, code: ScalarType
) -> None:
    slots = apply_half_precision_aliases((SHORT, *OTHER_SLOTS), source)
    assert slots[0].element is not None
    assert slots[0].element.scalar is code
    assert slots[1:] == OTHER_SLOTS
