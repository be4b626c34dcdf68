"""Texts that an index can hold, of which no two are the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storage.database.indexed_text import MAX_INDEXED_BYTES, shorten_for_index

LONG_TEXTS = st.builds(
    lambda prefix, repeats, suffix: prefix * repeats + suffix,
    st.text(min_size=1, max_size=5),
    st.integers(1, 600),
    st.text(max_size=5),
)


def test_a_short_text_stays_as_it_is() -> None:
    for text in ("", "csrc/kernel.cu", "x" * MAX_INDEXED_BYTES):
        assert shorten_for_index(text) == text


def test_a_long_text_keeps_its_start_and_names_its_digest() -> None:
    shortened = shorten_for_index("a" * 5000)
    start, _, digest = shortened.partition("…")
    assert set(start) == {"a"}
    assert len(digest) == 16


def test_a_cut_never_tears_a_character() -> None:
    for padding in range(4):
        text = "x" * padding + "é" * 2000
        shortened = shorten_for_index(text)
        assert "\ufffd" not in shortened
        assert shortened.startswith("x" * padding + "é")


@given(text=LONG_TEXTS)
def test_it_always_fits(text: str) -> None:
    assert len(shorten_for_index(text).encode("utf-8", "surrogatepass")) <= 1000


@given(first=LONG_TEXTS, second=LONG_TEXTS)
def test_different_texts_stay_different(first: str, second: str) -> None:
    are_same = shorten_for_index(first) == shorten_for_index(second)
    assert are_same == (first == second)
