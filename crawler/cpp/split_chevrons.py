"""Rejoin launch chevrons that a formatter split (`<< <`): nvcc accepts them, clang does not.

nvcc takes them for launches; clang, and all that looks for `<<<`, does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from crawler.cpp.edits import apply_edits
from crawler.cpp.lexer import TokenKind, tokenize

GAP_PATTERN: Final = re.compile(
    r"(?<!operator)(?<!operator )(?<!<)<<[ \t]+<(?!<)|>>[ \t]+>|>[ \t]+>>"
)
_SOME: Final = re.compile(r"<<[ \t]+<|>>[ \t]+>|>[ \t]+>>")
"""What `GAP` is found by: it begins with plain characters, by which a search goes fast."""
_LONGEST: Final = 2_000
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class _Sign(NamedTuple):
    text: str
    offset: int


class _Chevrons(NamedTuple):
    """Three angles: the offset of the first, that behind the last, and the position behind them."""

    start: int
    end: int
    behind: int


def rejoin_chevrons(text: str) -> str:
    """Return a text of the same length in which a launch's chevrons stand together, the blanks
    behind them.
    """
    if not _SOME.search(text) or not GAP_PATTERN.search(text):
        return text
    return apply_edits(
        text,
        [
            (found.start, found.end, sign.ljust(found.end - found.start))
            for sign, found in _split(_signs(text))
            if found.end - found.start > len(sign)
        ],
    )


def _signs(text: str) -> list[_Sign]:
    """Return the significant tokens with their offsets, chevrons as single angles."""
    found: list[_Sign] = []
    offset = 0
    for token in tokenize(text):
        if token.text in ("<<<", ">>>"):
            found += [_Sign(angle, offset + at) for at, angle in enumerate(token.text)]
        elif token.kind not in (TokenKind.SPACE, TokenKind.COMMENT):
            found.append(_Sign(token.text, offset))
        offset += len(token.text)
    return found


def _split(signs: Sequence[_Sign]) -> Iterator[tuple[str, _Chevrons]]:
    """Yield the chevrons of each launch: those that open it, then those that close it."""
    at = 1
    while at < len(signs):
        opened = _chevrons(signs, at, "<") if signs[at - 1].text != "operator" else None
        closed = _closing(signs, opened.behind) if opened else None
        if opened and closed:
            yield "<<<", opened
            yield ">>>", closed
            at = opened.behind
        at += 1


def _chevrons(signs: Sequence[_Sign], at: int, angle: str) -> _Chevrons | None:
    three = signs[at : at + 3]
    if len(three) < 3 or any(sign.text != angle for sign in three):
        return None
    gaps = [later.offset - sooner.offset - 1 for sooner, later in pairwise(three)]
    return (
        _Chevrons(three[0].offset, three[2].offset + 1, at + 3) if 0 in gaps else None
    )


def _closing(signs: Sequence[_Sign], at: int) -> _Chevrons | None:
    depth = 0
    for position in range(at, min(len(signs), at + _LONGEST)):
        text = signs[position].text
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or text == ";":
            break
        found = _chevrons(signs, position, ">") if depth == 0 and text == ">" else None
        if (
            found
            and signs[found.behind : found.behind + 1]
            and signs[found.behind].text == "("
        ):
            return found
    return None
