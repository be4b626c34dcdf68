"""Key lists are cut so that a statement's parameters suffice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storage.database.chunks import CHUNK_SIZE, iter_chunks, iter_slices


@given(keys=st.sets(st.integers(), max_size=2000))
def test_chunks_hold_every_key_once_in_order(keys: set[int]) -> None:
    chunks = list(iter_chunks(keys))
    assert [key for chunk in chunks for key in chunk] == sorted(keys)
    assert all(0 < len(chunk) <= CHUNK_SIZE for chunk in chunks)


@given(items=st.lists(st.text(max_size=2), max_size=50), size=st.integers(1, 10))
def test_slices_keep_the_order_of_the_items(items: list[str], size: int) -> None:
    slices = list(iter_slices(items, size))
    assert [item for part in slices for item in part] == items
    assert all(len(part) == size for part in slices[:-1])


def test_nothing_has_no_chunks() -> None:
    assert list(iter_chunks([])) == []
    assert list(iter_slices([], 10)) == []
