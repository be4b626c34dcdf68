"""Highlight sources, a line of HTML a line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.c_like import CudaLexer

from workers.web.visible_text import shorten_line, spell_out

MAX_CHARACTERS: Final = 20_000
"""Of a text on a page, so that the page stays light; the whole is behind a link."""
_MAX_HIGHLIGHTED_LINE: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The first lines of a text, ready for a page."""

    lines: tuple[Markup, ...]
    total_lines: int

    @property
    def is_cut(self) -> bool:
        """Whether lines were left out."""
        return len(self.lines) < self.total_lines


def highlight_source(text: str, *, budget: int = MAX_CHARACTERS) -> SourceText:
    """Return the lines of a CUDA or HIP source, highlighted, as many as `budget` characters."""
    all_lines = spell_out(text).split("\n")
    if all_lines[-1] == "":
        all_lines.pop()
    lines = cut_lines(all_lines, budget)
    if any(len(line) > _MAX_HIGHLIGHTED_LINE for line in lines):
        # generated or hostile: nothing is to be learned from its colours
        return SourceText(lines=tuple(map(escape, lines)), total_lines=len(all_lines))

    # a comment is one only up to the end of its line
    text_of_lines = "".join(f"{line}\n" for line in lines)
    html = highlight(text_of_lines, _make_lexer(), _make_formatter())
    highlighted = html.split("\n")[: len(lines)]
    # trailing blank lines have nothing to be highlighted
    highlighted += [""] * (len(lines) - len(highlighted))
    return SourceText(
        # pygments escapes what it is given; the lines are its own markup
        lines=tuple(Markup(line) for line in highlighted),  # noqa: S704
        total_lines=len(all_lines),
    )


def cut_lines(lines: list[str], budget: int) -> list[str]:
    """Return the first lines, each of readable length, that have `budget` characters at most."""
    chosen: list[str] = []
    for line in lines:
        short = shorten_line(line)
        budget -= len(short) + 1
        if budget < 0 and chosen:
            break
        chosen.append(short)

    return chosen


@cache
def _make_lexer() -> CudaLexer:
    return CudaLexer(stripnl=False, ensurenl=False)  # type: ignore[no-untyped-call]


@cache
def _make_formatter() -> HtmlFormatter[str]:
    return HtmlFormatter(nowrap=True)
