"""Numbers of 16 bits that a project calls by what they are."""

from __future__ import annotations

import pytest

from crawler.validate.elements import Element
from crawler.validate.inputs.aliases import said_by_aliases
from crawler.validate.inputs.slots import Slot
from crawler.validate.numbers import Code

SHORT = Slot("a", 0, 0, Element("unsigned short", 2, Code.U16), True)
OTHERS = (Slot("b", 1, 0, Element("int", 4, Code.I32), True), Slot("c", 2, 0, None, False))


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("using bhalf_t = ushort;", Code.BFLOAT16),
        ("typedef unsigned short bf16_t;\nusing bhalf_t = uint16_t;", Code.BFLOAT16),
        ("typedef uint16_t half_t;", Code.HALF),
        ("typedef uint16_t half_t; using bfloat16_t = uint16_t;", Code.U16),
        ("typedef ushort index_t; typedef ushort2 half2_t;", Code.U16),
    ],
)
def test_the_only_alias_that_tells_says_what_buffers_hold(source: str, code: Code) -> None:
    found = said_by_aliases((SHORT, *OTHERS), source)
    assert found[0].element is not None
    assert found[0].element.code is code
    assert found[1:] == OTHERS
