"""Source files: offsets, lines, tokens and what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.cpp.files import source_text
from crawler.cpp.files.source_text import SourceFiles, SourceText, cache_per_source


def test_offsets_are_those_of_bytes() -> None:
    content = "// ä\nint b;\n".encode()
    source = SourceText("a.cu", content)
    start = content.index(b"int")
    assert source.raw[start : start + 3] == "int"
    assert source.text_between(0, start) == "// ä\n"
    span = source.make_span(start, start + 6)
    assert (span.path, span.line, span.end_line) == ("a.cu", 2, 2)
    assert (span.offset, span.end_offset) == (start, start + 6)


def test_what_is_no_text_is_replaced() -> None:
    assert SourceText("a.cu", b"a\xff").text_between(0, 2) == "a�"


def test_a_range_is_tokenized_alone_until_the_file_is() -> None:
    text = "#define A 1\nint f(a[0]);\n"
    source = SourceText("a.cu", text.encode())
    start = text.index("int")
    alone = list(source.lexemes_between(start, len(text)))
    assert "lexemes" not in source.__dict__
    assert source.lexemes[: len(source.lexemes) - len(alone)][-1].directive == "define"
    assert list(source.lexemes_between(start, len(text))) == alone
    assert source.names_between(start, len(text)) == {"int", "f", "a"}


def test_brackets_are_found_by_their_positions() -> None:
    source = SourceText("a.cu", b"f(a[0]) (")
    assert source.find_closing_bracket(1) == 6
    assert source.find_closing_bracket(3) == 5
    assert source.find_closing_bracket(7) == -1
    assert source.lexeme_index(3) == 3


def test_split_chevrons_are_said() -> None:
    assert SourceText("a.cu", b"k<< <1, 2>> >(x);").has_rejoined_chevrons
    assert not SourceText("a.cu", b"k<<<1, 2>>>(x);").has_rejoined_chevrons


def test_a_function_runs_once_for_each_source_and_arguments() -> None:
    calls: list[tuple[str, int]] = []

    @cache_per_source
    def measure(source: SourceText, factor: int = 1) -> int:
        calls.append((source.path, factor))
        return len(source.raw) * factor

    first = SourceText("a.cu", b"abc")
    second = SourceText("b.cu", b"abcd")
    assert [measure(first), measure(first), measure(first, 2), measure(second)] == [
        3,
        3,
        6,
        4,
    ]
    assert calls == [("a.cu", 1), ("a.cu", 2), ("b.cu", 1)]


def test_files_are_read_once_until_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text("int a;")
    files = SourceFiles(tmp_path)
    assert "a.cu" in files
    assert "b.cu" not in files
    assert files["b.cu"].raw == ""

    source = files["a.cu"]
    files.evict_if_large()
    assert files["a.cu"] is source
    monkeypatch.setattr(source_text, "_MAX_CACHED_CHARACTERS", 5)
    files.evict_if_large()
    assert files["a.cu"] is not source
