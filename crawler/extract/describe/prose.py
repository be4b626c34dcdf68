"""Take the first sentences of what a project's author wrote, in a docstring or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

_MAX_CHARACTERS: Final = 500
_MIN_WORDS: Final = 3
_MIN_LINE_WIDTH: Final = 50
"""Nobody wraps prose at fewer characters."""
# the line of a text that begins a section: `Args:`, `Returns`, `:param x: …`, `>>> f()`
_SECTION: Final = re.compile(
    r"(?i)(?:args|arguments|param(?:eter)?s?|returns?|raises|yields|examples?|notes?|references?"
    r"|shapes?|inputs?|outputs?|usage|see also|attributes|keyword args|todo|warnings?)\s*:?\s*$"
    r"|(?:args|returns?|inputs?|outputs?|parameters|example)\s*:\s"
    r"|:(?:param|return|rtype|raises|type)\b|>>>|@param|@return|-{3,}|={3,}"
)
# a role of reStructuredText: :attr:`src`, :math:`\mathbf{r}`
_ROLE: Final = re.compile(r":[a-z][\w:]*:(?=`)")
# a link of reStructuredText: `node2vec <https://…>`_
_LINK: Final = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_+")
# the end of a sentence within a paragraph
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)")


def summarise_prose(text: str) -> str:
    """Return the whole sentences with which a text begins, in one line; empty where it has none,
    but a list of parameters, for instance.
    """
    text = " ".join(_iter_paragraphs(text))
    text = _LINK.sub(r"\1", _ROLE.sub("", text))
    if len(text) > _MAX_CHARACTERS:
        ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, _MAX_CHARACTERS)]
        text = text[: ends[-1]] if ends else ""
    # `…, computed as:` leads to a formula or a list, which is left out
    if text.endswith(":"):
        ends = [end.end() for end in _SENTENCE_END.finditer(text)]
        text = text[: ends[-1]] if ends else ""

    return text if len(text.split()) >= _MIN_WORDS else ""


def _iter_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs before the first section, without directives and code."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if _SECTION.match(line):
            break
        # no prose: `.. image:: …`, an indented block behind a blank line, a lone `|` for space
        is_block = not lines and line.startswith((" ", "\t"))
        is_prose = line.strip("| ") and not line.startswith(".. ") and not is_block
        if is_prose:
            lines.append(line.strip())
        elif lines:
            yield _join_lines(lines)
            lines = []

    if lines:
        yield _join_lines(lines)


def _join_lines(lines: Sequence[str]) -> str:
    """Return the lines of a paragraph as one; a line that its author ended although the next word
    had room is a sentence of its own, also without a full stop.
    """
    width = max(_MIN_LINE_WIDTH, *map(len, lines))
    text = lines[0]
    for line, next_line in pairwise(lines):
        next_word = next_line.partition(" ")[0]
        has_room = len(line) + 1 + len(next_word) <= width
        begins_anew = next_word[:1].isupper() and not next_word.isupper()
        is_ended = has_room and begins_anew and line[-1:].isalnum()
        text += f"{'.' if is_ended else ''} {next_line}"

    return text
