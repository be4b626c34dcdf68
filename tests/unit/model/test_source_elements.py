"""Ranges of files overlap where they share a byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import Span


def make_span(offset: int, end_offset: int, path: str = "a.cu") -> Span:
    return Span(path=path, line=1, end_line=1, offset=offset, end_offset=end_offset)


OFFSETS = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(
    lambda pair: (min(pair), max(pair))
)


@pytest.mark.parametrize(
    ("other", "is_overlap"),
    [
        ((0, 5), False),
        ((0, 6), True),
        ((9, 12), True),
        ((10, 12), False),
        ((6, 7), True),
    ],
)
def test_a_shared_byte_is_an_overlap(other: tuple[int, int], is_overlap: bool) -> None:
    assert make_span(5, 10).overlaps(make_span(*other)) is is_overlap


def test_ranges_of_two_files_never_overlap() -> None:
    assert not make_span(5, 10).overlaps(make_span(5, 10, "b.cu"))


@given(OFFSETS, OFFSETS)
def test_ranges_overlap_as_the_bytes_in_them_say(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    shared = set(range(*first)) & set(range(*second))
    span = make_span(*first)
    other = make_span(*second)
    assert span.overlaps(other) == other.overlaps(span)
    # an empty range inside another has no byte of its own
    if first[0] < first[1] and second[0] < second[1]:
        assert span.overlaps(other) == bool(shared)
