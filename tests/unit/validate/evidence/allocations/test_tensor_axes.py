"""Which questions about tensors host code asks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.evidence.allocations.tensor_axes import (
    find_asked_axes,
    find_counted_tensors,
)

WORDS = st.lists(
    st.sampled_from(["x", ".", "size", "numel", "(", ")", "1", "999", "'", '"', "{"])
)


def test_axes_are_listed_by_tensor_and_in_order() -> None:
    texts = ["f(x.size(2), y . size (0)); x.size(0);", "n = x.size(axis) + x.size(-1);"]
    assert find_asked_axes(texts) == {"x": (0, 2), "y": (0,)}


def test_tensors_are_counted_by_their_own_method() -> None:
    assert find_counted_tensors(["int n = x.numel() * y.size(0);"]) == {"x"}


@given(WORDS)
def test_no_text_is_too_strange(words: list[str]) -> None:
    text = "".join(words)
    assert all(axis < 16 for axes in find_asked_axes([text]).values() for axis in axes)
    find_counted_tensors([text])
