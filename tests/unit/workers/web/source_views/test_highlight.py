"""Sources are shown a line a line, coloured, cut to a light page, and never as markup."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.web.source_views.highlight import (
    LINE_COST,
    SourceLine,
    choose_lines,
    count_lines,
    highlight_source,
)
from workers.web.visible_text import MAX_LINE_CHARACTERS, spell_out

LINES = st.lists(st.sampled_from(["", "a", "int x;", "// c", '"', "/*", "*/", "<b>&"]))


def read_text(line: SourceLine) -> str:
    """Return what a reader sees of a line of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", line.html))


def test_words_of_the_language_have_colours() -> None:
    shown_text = highlight_source(
        "__global__ void k(float* y) { *y = 1; } // why\n", budget=500
    )
    (line,) = shown_text.lines
    assert re.search(r'<span class="k\w?">void</span>', line.html)
    assert re.search(r'<span class="c1">// why</span>', line.html)
    assert (shown_text.total_lines, shown_text.is_cut) == (1, False)


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
    (line,) = highlight_source(text, budget=2000).lines
    assert read_text(line) == text
    assert set(re.findall(r"<(\w+)", line.html)) <= {"span"}


def test_a_very_long_line_is_shown_without_colours_and_cut() -> None:
    shown_text = highlight_source(
        "int a;\n" + "x" * (MAX_LINE_CHARACTERS + 5), budget=9000
    )
    assert "<span" not in "".join(line.html for line in shown_text.lines)
    assert shown_text.lines[1].html.endswith(
        f"… ({MAX_LINE_CHARACTERS + 5} characters)"
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n\n\na", 4), ("a\r\nb\r\n", 2)],
)
def test_lines_are_counted_as_an_editor_counts_them(text: str, count: int) -> None:
    shown_text = highlight_source(text, budget=500)
    assert shown_text.total_lines == len(shown_text.lines) == count


def test_of_a_long_text_the_first_lines_are_shown() -> None:
    shown_text = highlight_source("12345\n" * 10, budget=3 * (5 + LINE_COST))
    assert (len(shown_text.lines), shown_text.total_lines, shown_text.is_cut) == (
        3,
        10,
        True,
    )


@given(lines=LINES, budget=st.integers(0, 400))
def test_what_is_shown_is_how_the_text_begins(lines: list[str], budget: int) -> None:
    text = "\n".join(lines)
    shown_text = highlight_source(text, budget=budget)
    expected = spell_out(text).removesuffix("\n").split("\n") if text else []
    assert list(map(read_text, shown_text.lines)) == expected[: len(shown_text.lines)]
    assert shown_text.total_lines == len(expected)
    assert sum(
        len(line) + LINE_COST for line in expected[: len(shown_text.lines)]
    ) <= max(budget, len(expected[0]) + LINE_COST if expected else 0)


@given(
    lines=st.lists(st.text("ab", max_size=5), min_size=1), budget=st.integers(0, 200)
)
def test_the_first_line_is_shown_however_small_the_room(
    lines: list[str], budget: int
) -> None:
    number = count_lines(lines, budget)
    assert number >= 1
    # no further line would fit
    if number < len(lines):
        assert sum(len(line) + LINE_COST for line in lines[: number + 1]) > budget


def test_a_kernel_behind_much_that_it_needs_is_shown() -> None:
    text = "// needed\n" * 500 + "__global__ void k() {\n}\n" + "// behind\n" * 500
    shown_text = highlight_source(text, budget=4_000, focus=501)
    texts = {line.number: read_text(line) for line in shown_text.lines}
    assert texts[1] == "// needed"
    assert texts[501] == "__global__ void k() {"
    assert texts[502] == "}"
    gaps = [line for line in shown_text.lines if line.left_out]
    assert len(gaps) == 1
    # nothing is left out that is not counted
    assert sum(line.left_out for line in gaps) + len(shown_text.lines) == (
        shown_text.total_lines - shown_text.left_out_behind
    )


def test_of_a_prompt_the_end_is_shown_too() -> None:
    text = "Write it.\n" + "// given\n" * 500 + "__global__ void k();\n"
    shown_text = highlight_source(text, budget=4_000, focus=10**9)
    assert read_text(shown_text.lines[0]) == "Write it."
    assert read_text(shown_text.lines[-1]) == "__global__ void k();"
    assert shown_text.left_out_behind == 0


def test_a_text_is_read_on_where_a_page_of_it_ended() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 301))
    read: list[str] = []
    first = 1
    while first:
        shown_text = highlight_source(text, budget=500, first=first)
        assert sum(len(read_text(line)) + LINE_COST for line in shown_text.lines) <= 500
        read += map(read_text, shown_text.lines)
        first = shown_text.lines[-1].number + 1 if shown_text.left_out_behind else 0
    assert read == text.splitlines()
    assert highlight_source(text, budget=500, first=301).lines == ()


@given(
    lines=st.lists(st.text("ab", max_size=5), min_size=1, max_size=40),
    budget=st.integers(0, 400),
    focus=st.integers(0, 60),
)
def test_chosen_lines_have_room_and_hold_the_focus(
    lines: list[str], budget: int, focus: int
) -> None:
    chosen = [
        position for part in choose_lines(lines, budget, focus) for position in part
    ]
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(range(len(lines)))
    used = sum(len(lines[position]) + LINE_COST for position in chosen)
    # at least one line of each part is shown
    assert used <= max(budget, 2 * (5 + LINE_COST))
    if budget >= 200 and 0 < focus <= len(lines):
        assert focus - 1 in chosen
