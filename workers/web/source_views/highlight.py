"""Highlight sources, a line of HTML a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.c_like import CudaLexer

from workers.web.visible_text import MAX_LINE_CHARACTERS, shorten_line, spell_out

LINE_COST: Final = 12
"""What a line's number and its end take from a budget: as much markup as that many characters."""
_MAX_GROWTH: Final = 7
"""Bytes of HTML for one of a budget: coloured code has six, and hostile code more."""
_MAX_HIGHLIGHTED_LINE: Final = 400
_HEAD_SHARE: Final = 4
"""Of a budget, a quarter is for the first lines where others are to be seen, too."""
_LINES_BEFORE_FOCUS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of a text, ready for a page."""

    number: int
    """From 1."""
    html: Markup
    left_out: int
    """Lines right before it that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The lines of a text that have room on a page."""

    lines: tuple[SourceLine, ...]
    total_lines: int

    @property
    def is_cut(self) -> bool:
        """Whether lines were left out."""
        return len(self.lines) < self.total_lines

    @property
    def left_out_behind(self) -> int:
        """Lines behind the last one that are not shown."""
        return self.total_lines - self.lines[-1].number if self.lines else 0


def highlight_source(
    text: str,
    *,
    budget: int,
    focus: int = 0,
    first: int = 1,
    max_line: int = MAX_LINE_CHARACTERS,
    is_plain: bool = False,
) -> SourceText:
    """Return the lines of a CUDA or HIP source, highlighted, as many as have room in `budget`
    characters; where it `is_plain`, without colours.

    Where not all have room, they are those from `first` on, or the first ones and those round
    `focus`, which both count from 1.
    """
    all_lines = spell_out(text).split("\n")
    if all_lines[-1] == "":
        all_lines.pop()
    all_short = [shorten_line(line, max_line) for line in all_lines]
    lines: list[SourceLine] = []
    for chosen in choose_lines(all_short, budget, focus, first):
        shown_lines = all_short[chosen.start : chosen.stop]
        html_lines = (
            _escape(shown_lines) if is_plain else _highlight_lines(shown_lines, budget)
        )
        for position, html in zip(chosen, html_lines, strict=True):
            before = lines[-1].number if lines else first - 1
            left_out = position - before
            lines.append(SourceLine(number=position + 1, html=html, left_out=left_out))

    return SourceText(lines=tuple(lines), total_lines=len(all_lines))


def choose_lines(
    lines: list[str], budget: int, focus: int, first: int = 1
) -> list[range]:
    """Return which lines are shown, by their positions from 0.

    A kernel stands at the end of its unit, behind hundreds of lines that it needs: the first ones
    alone would not show it.
    """
    start = first - 1
    whole = count_lines(lines[start:], budget)
    if focus <= start or start + whole >= len(lines):
        return [range(start, start + whole)]

    head = start + count_lines(lines[start:], budget // _HEAD_SHARE)
    begin = min(focus, len(lines)) - 1 - _LINES_BEFORE_FOCUS
    if begin <= head:
        return [range(start, start + whole)]

    rest = budget - _measure(lines[start:head])
    end = begin + count_lines(lines[begin:], rest)
    rest -= _measure(lines[begin:end])
    # room that is left shows what stands before
    while begin > head and rest >= len(lines[begin - 1]) + LINE_COST:
        begin -= 1
        rest -= len(lines[begin]) + LINE_COST
    return [range(start, head), range(begin, end)]


def count_lines(lines: Sequence[str], budget: int) -> int:
    """Return how many of the first lines have room in `budget`; one at least."""
    for number, line in enumerate(lines):
        budget -= len(line) + LINE_COST
        if budget < 0 and number:
            return number

    return len(lines)


def _measure(lines: Sequence[str]) -> int:
    return sum(len(line) + LINE_COST for line in lines)


def _escape(lines: Sequence[str]) -> list[Markup]:
    return [escape(line) for line in lines]


def _highlight_lines(lines: Sequence[str], budget: int) -> list[Markup]:
    if any(len(line) > _MAX_HIGHLIGHTED_LINE for line in lines):
        # generated or hostile: nothing is to be learned from its colours
        return _escape(lines)

    # a comment is one only up to the end of its line
    text = "".join(f"{line}\n" for line in lines)
    html = highlight(text, _make_lexer(), _make_formatter())
    if len(html) > _MAX_GROWTH * budget:
        return _escape(lines)
    highlighted = html.split("\n")[: len(lines)]
    # trailing blank lines have nothing to be highlighted
    highlighted += [""] * (len(lines) - len(highlighted))
    # pygments escapes what it is given; the lines are its own markup
    return [Markup(line) for line in highlighted]  # noqa: S704


@cache
def _make_lexer() -> CudaLexer:
    return CudaLexer(stripnl=False, ensurenl=False)  # type: ignore[no-untyped-call]


@cache
def _make_formatter() -> HtmlFormatter[str]:
    return HtmlFormatter(nowrap=True)
