"""Sources are shown a line a line, coloured, cut to a light page, and never as markup."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.web.source_views.highlight import cut_lines, highlight_source
from workers.web.visible_text import MAX_LINE_CHARACTERS, spell_out

LINES = st.lists(st.sampled_from(["", "a", "int x;", "// c", '"', "/*", "*/", "<b>&"]))


def read_text(line: str) -> str:
    """Return what a reader sees of a line of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", line))


def test_words_of_the_language_have_colours() -> None:
    shown = highlight_source("__global__ void k(float* y) { *y = 1; } // why\n")
    (line,) = shown.lines
    assert re.search(r'<span class="k\w?">void</span>', line)
    assert re.search(r'<span class="c1">// why</span>', line)
    assert (shown.total_lines, shown.is_cut) == (1, False)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a < b && c > d",
        '"</span><img src=x onerror=alert(1)>"',
        "// </pre>",
        "x" * 500 + "<script>",
        "&lt;",
    ],
)
def test_a_source_is_never_markup(text: str) -> None:
    (line,) = highlight_source(text).lines
    assert read_text(line) == text
    assert set(re.findall(r"<(\w+)", line)) <= {"span"}


def test_a_very_long_line_is_shown_without_colours_and_cut() -> None:
    shown = highlight_source("int a;\n" + "x" * (MAX_LINE_CHARACTERS + 5))
    assert "<span" not in "".join(shown.lines)
    assert shown.lines[1].endswith(f"… ({MAX_LINE_CHARACTERS + 5} characters)")


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n\n\na", 4), ("a\r\nb\r\n", 2)],
)
def test_lines_are_counted_as_an_editor_counts_them(text: str, count: int) -> None:
    shown = highlight_source(text)
    assert shown.total_lines == len(shown.lines) == count


def test_of_a_long_text_the_first_lines_are_shown() -> None:
    shown = highlight_source("12345\n" * 10, budget=18)
    assert (len(shown.lines), shown.total_lines, shown.is_cut) == (3, 10, True)


@given(lines=LINES, budget=st.integers(0, 60))
def test_what_is_shown_is_how_the_text_begins(lines: list[str], budget: int) -> None:
    text = "\n".join(lines)
    shown = highlight_source(text, budget=budget)
    expected = spell_out(text).removesuffix("\n").split("\n") if text else []
    assert list(map(read_text, shown.lines)) == expected[: len(shown.lines)]
    assert shown.total_lines == len(expected)
    assert sum(len(line) + 1 for line in expected[: len(shown.lines)]) <= max(
        budget, len(expected[0]) + 1 if expected else 0
    )


@given(lines=st.lists(st.text("ab", max_size=5), min_size=1), budget=st.integers(0, 30))
def test_the_first_line_is_shown_however_small_the_room(
    lines: list[str], budget: int
) -> None:
    chosen = cut_lines(lines, budget)
    assert chosen == lines[: max(1, len(chosen))]
    # no further line would fit
    if len(chosen) < len(lines):
        used = sum(len(line) + 1 for line in lines[: len(chosen) + 1])
        assert used > budget
