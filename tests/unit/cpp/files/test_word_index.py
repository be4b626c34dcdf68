"""Word index: whole words wherever they stand, comments and strings included."""

from __future__ import annotations

from pathlib import Path

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.files.word_index import WordIndex, find_word_occurrences


def test_occurrences_are_whole_words() -> None:
    source = SourceText("a.cu", b"a ab a_b a1 (a)<<<b>>> // a")
    occurrences = find_word_occurrences(source, frozenset({"a", "<<<"}))
    assert [
        (word, source.raw[offset : offset + 3]) for offset, word in occurrences
    ] == [
        ("a", "a a"),
        ("a", "a)<"),
        ("<<<", "<<<"),
        ("a", "a"),
    ]


def test_a_range_holds_what_begins_in_it(tmp_path: Path) -> None:
    text = "add<<<1, 2>>>(x); scale"
    (tmp_path / "a.cu").write_text(text)
    index = WordIndex(SourceFiles(tmp_path), {"add", "scale", "missing"})
    assert index.has_word_in_range("a.cu", 0, len(text))
    assert not index.has_word_in_range("a.cu", 1, text.index("scale"))
    assert not index.has_word_in_range("a.cu", 0, 5, excluded_word="add")
    assert not index.has_word_in_range("gone.cu", 0, 100)
