"""Edits: what is replaced, and where the rest of a text stood before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.edits import Edit, OriginalOffsets, apply_edits


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(alphabet="abc\n", max_size=30))
    bounds = draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return text, [
        (start, end, draw(st.text(alphabet="XY", max_size=4))) for start, end in pairs
    ]


def test_what_stands_there_is_replaced() -> None:
    assert apply_edits("one two three", [(0, 3, "1"), (8, 13, "3")]) == "1 two 3"
    assert apply_edits("ab", [(1, 1, "-")]) == "a-b"
    assert apply_edits("ab", []) == "ab"


@given(edited_texts())
def test_the_edits_can_be_undone(text_and_edits: tuple[str, list[Edit]]) -> None:
    text, edits = text_and_edits
    undo, shift = [], 0
    for start, end, new in edits:
        undo.append((start + shift, start + shift + len(new), text[start:end]))
        shift += len(new) - (end - start)
    assert apply_edits(apply_edits(text, edits), undo) == text


@given(edited_texts())
def test_every_kept_character_has_its_old_place(
    text_and_edits: tuple[str, list[Edit]],
) -> None:
    text, edits = text_and_edits
    edited = apply_edits(text, edits)
    offsets = OriginalOffsets(edits)
    for offset, character in enumerate(edited):
        original = offsets.original(offset)
        if character in "XY":
            assert any(start == original for start, _, _ in edits)
        else:
            assert text[original] == character


def test_without_edits_every_offset_stays() -> None:
    assert [OriginalOffsets([]).original(offset) for offset in range(3)] == [0, 1, 2]
