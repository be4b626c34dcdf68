"""Rejoin launch chevrons that a formatter split (`<< <`).

nvcc takes them for launches; clang, and all that looks for `<<<`, does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.lexer import TokenKind, tokenize

# raw text, as it comes before anything else is read of it: what it finds is held against tokens
# below
GAP_PATTERN: Final = re.compile(
    r"(?<!operator)(?<!operator )(?<!<)<<[ \t]+<(?!<)|>>[ \t]+>|>[ \t]+>>"
)
# begins with plain characters, by which a search goes fast; `GAP_PATTERN` decides
_QUICK_GAP: Final = re.compile(r"<<[ \t]+<|>>[ \t]+>|>[ \t]+>>")
# templates end in `> >>`, too, and to read all of a file for those takes long: an edit wants
# angles with a gap that open a launch, or such that close it in front of its arguments. What
# matches in a comment or a string is only a reason to look, as a comment behind an angle is that
# is longer than what is read of each
_GAP: Final = (
    r"(?>[\s\\]|//(?:[^\\\n]|\\\r?\n|\\){0,200}+(?![^\n])|/\*(?s:.{0,200}?)\*/)"
)
# a sieve over raw text: who passes is tokenized, and most files do not
_SPLIT_OPENING: Final = re.compile(rf"<<{_GAP}++<|<{_GAP}++<<|<{_GAP}*+/[/*]")
_SPLIT_CLOSING: Final = re.compile(
    rf"(?:>>{_GAP}++>|>{_GAP}++>>){_GAP}*+\(|>{_GAP}*+/[/*]"
)
_MAX_CONFIGURATION_TOKENS: Final = 2_000
"""Tokens of a launch configuration that are looked through for its end."""
_OPENING_BRACKETS: Final = frozenset("([{")
_CLOSING_BRACKETS: Final = frozenset(")]}")


class _Sign(NamedTuple):
    """A significant token; chevrons count as three."""

    text: str
    offset: int


class _Chevrons(NamedTuple):
    """Three angles of a launch, where they stand in the text."""

    start: int
    end: int
    next_index: int
    """The position of the sign behind them."""


def rejoin_chevrons(text: str) -> str:
    """Return a text in which a launch's chevrons stand together, the blanks behind them.

    Its length is that of `text`, and so is every offset outside of chevrons.
    """
    if not _QUICK_GAP.search(text) or not GAP_PATTERN.search(text):
        return text
    if not _may_split_launch(text):
        return text

    edits: list[Edit] = []
    for joined, chevrons in _iter_launch_chevrons(_list_signs(text)):
        width = chevrons.end - chevrons.start
        if width > len(joined):
            edits.append((chevrons.start, chevrons.end, joined.ljust(width)))

    return apply_edits(text, edits)


def _may_split_launch(text: str) -> bool:
    """Tell whether there may be a launch whose chevrons have a gap."""
    if _SPLIT_OPENING.search(text):
        return True

    # else what opens a launch stands together
    return "<<<" in text and _SPLIT_CLOSING.search(text) is not None


def _list_signs(text: str) -> list[_Sign]:
    """Return the significant tokens with their offsets, chevrons as single angles."""
    signs: list[_Sign] = []
    offset = 0

    for token in tokenize(text):
        if token.text in ("<<<", ">>>"):
            for index, angle in enumerate(token.text):
                signs.append(_Sign(angle, offset + index))
        elif token.kind not in (TokenKind.SPACE, TokenKind.COMMENT):
            signs.append(_Sign(token.text, offset))

        offset += len(token.text)

    return signs


def _iter_launch_chevrons(signs: Sequence[_Sign]) -> Iterator[tuple[str, _Chevrons]]:
    """Yield the chevrons of each launch: those that open it, then those that close it."""
    index = 1
    while index < len(signs):
        # `operator<< <int>` is no launch
        opening = None
        if signs[index - 1].text != "operator":
            opening = _match_chevrons(signs, index, "<")

        closing = _find_closing_chevrons(signs, opening.next_index) if opening else None
        if opening and closing:
            yield "<<<", opening
            yield ">>>", closing
            index = opening.next_index

        index += 1


def _match_chevrons(signs: Sequence[_Sign], index: int, angle: str) -> _Chevrons | None:
    """Return the three angles from `index` on, two of which must stand together."""
    angles = signs[index : index + 3]
    if len(angles) < 3 or any(sign.text != angle for sign in angles):
        return None

    # `a < < <` with gaps everywhere is written by nobody
    gaps = [later.offset - earlier.offset - 1 for earlier, later in pairwise(angles)]
    if 0 not in gaps:
        return None

    return _Chevrons(
        start=angles[0].offset,
        end=angles[2].offset + 1,
        next_index=index + 3,
    )


def _find_closing_chevrons(signs: Sequence[_Sign], begin: int) -> _Chevrons | None:
    """Return the chevrons that end a configuration, those in front of the arguments' `(`."""
    end = min(len(signs), begin + _MAX_CONFIGURATION_TOKENS)
    depth = 0

    for index in range(begin, end):
        text = signs[index].text
        depth += (text in _OPENING_BRACKETS) - (text in _CLOSING_BRACKETS)
        if depth < 0 or text == ";":
            break
        if depth != 0 or text != ">":
            continue

        chevrons = _match_chevrons(signs, index, ">")
        if chevrons is None or chevrons.next_index >= len(signs):
            continue
        if signs[chevrons.next_index].text == "(":
            return chevrons

    return None
