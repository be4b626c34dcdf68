"""Extents of dynamic shared memory are found where a compiler would refuse them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.dynamic_arrays import find_dynamic_extents

WORDS = [
    "extern",
    "__shared__",
    "float",
    "a",
    "[",
    "]",
    "[4]",
    "(",
    ")",
    ";",
    "{",
    "}",
    "//",
    "/*",
    "*/",
    ",",
    "=",
    "alignas(8)",
]
PIECES = st.sampled_from([*(f"{word} " for word in WORDS), '"', "\n", "\\\n"])


def test_extents_are_offsets_of_the_text() -> None:
    text = "/* é */ extern __shared__ float a[N + 1][2], b[];"
    assert [text[start:end] for start, end in find_dynamic_extents(text)] == ["N + 1"]


@given(st.lists(PIECES, max_size=40).map("".join))
def test_what_is_left_has_no_extents(text: str) -> None:
    remaining_text = text
    for start, end in reversed(find_dynamic_extents(text)):
        assert remaining_text[start - 1] == "["
        assert remaining_text[end] == "]"
        remaining_text = remaining_text[:start] + remaining_text[end:]
    assert find_dynamic_extents(remaining_text) == []
