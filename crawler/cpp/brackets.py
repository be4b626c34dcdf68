"""Matching brackets among tokens, in blanked code and in raw text.

Only depth is counted, whatever the kinds of the brackets: in text that no compiler has accepted,
`( ]` is more often a slip than a meaning. `pairs` narrows the count to some kinds: with `"()"`
braces and square brackets are ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Protocol

from crawler.cpp.comments import OPAQUE_PATTERN
from crawler.cpp.lexer import TokenKind

ALL: Final = "()[]{}"
"""Every kind of bracket but angles, which may well be comparisons."""
ROUND: Final = "()"
BRACES: Final = "{}"
_LONGEST_ANGLE_LIST: Final = 2_000
"""Tokens within which a template argument list is expected to open."""


class TokenLike(Protocol):
    """Anything with a token's kind and text."""

    @property
    def kind(self) -> TokenKind:
        """What it is."""

    @property
    def text(self) -> str:
        """How it is written."""


def closing_token(
    tokens: Sequence[TokenLike],
    opening: int,
    end: int | None = None,
    *,
    pairs: str = ALL,
) -> int:
    """Return the position of the token before `end` that closes the bracket at `opening`, or -1."""
    last = len(tokens) if end is None else min(end, len(tokens))
    texts = (tokens[position].text for position in range(opening, last))
    return _find_closing(texts, opening, pairs)


def closing_word(
    words: Sequence[str], opening: int, end: int | None = None, *, pairs: str = ALL
) -> int:
    """Return the same as `closing_token` where only the texts of the tokens are at hand."""
    last = len(words) if end is None else min(end, len(words))
    texts = (words[position] for position in range(opening, last))
    return _find_closing(texts, opening, pairs)


def closing_in_code(
    code: str, opening: int, end: int | None = None, *, pairs: str = ALL
) -> int:
    """Return the offset of the bracket that closes the one at `opening` of blanked code, or -1.

    Only brackets before the offset `end` count.
    """
    search_end = len(code) if end is None else end
    opening_brackets = pairs[::2]

    depth = 0

    for bracket in _bracket_pattern(pairs).finditer(code, opening, search_end):
        depth += 1 if bracket[0] in opening_brackets else -1
        if depth == 0:
            return bracket.start()

    return -1


def closing_in_text(text: str, opening: int, *, pairs: str = ALL) -> int:
    """Return the offset of the bracket that closes the one at `opening` of raw text, or -1.

    Brackets in comments, strings and characters do not count: in `f(")", /* ) */ x)` the last
    one closes.
    """
    opening_brackets = pairs[::2]

    depth = 0

    for match in _bracket_or_opaque_pattern(pairs).finditer(text, opening):
        # comments and literals match, too, so that the search steps over them
        if match[0] not in pairs:
            continue

        depth += 1 if match[0] in opening_brackets else -1
        if depth == 0:
            return match.start()

    return -1


def bracket_pairs(texts: Iterable[str], *, pairs: str = ALL) -> dict[int, int]:
    """Return the position of the closing bracket for that of each opening one that is closed.

    `texts` are those of the tokens: for `f(a[0])` the answer is `{3: 5, 1: 6}`, the innermost
    first.
    """
    return _pair_brackets(enumerate(texts), pairs)


def bracket_pairs_in_code(code: str, *, pairs: str = ALL) -> dict[int, int]:
    """Return the same for blanked code, by offsets."""
    brackets = _bracket_pattern(pairs).finditer(code)
    places = ((bracket.start(), bracket[0]) for bracket in brackets)
    return _pair_brackets(places, pairs)


def depth_changes(pairs: str = ALL) -> dict[str, int]:
    """Return 1 for each opening bracket of `pairs`, -1 for each closing one."""
    return dict(_depth_changes(pairs))


def skip_angles_backwards(tokens: Sequence[TokenLike], closing_index: int) -> int:
    """Return the position in front of the `<` that the `>` at `closing_index` closes.

    Every angle counts, so this serves heads such as `template <class T>`, which hold no
    comparisons.
    """
    position = closing_index
    first = max(0, closing_index - _LONGEST_ANGLE_LIST)

    depth = 0

    while position >= first:
        text = tokens[position].text
        depth += (text == ">") - (text == "<")
        position -= 1
        if depth == 0:
            break

    return max(position, 0)


def _find_closing(texts: Iterator[str], opening: int, pairs: str) -> int:
    changes = _depth_changes(pairs)
    depth = 0

    for position, text in enumerate(texts, opening):
        depth += changes.get(text, 0)
        if depth == 0:
            return position

    return -1


def _pair_brackets(places: Iterable[tuple[int, str]], pairs: str) -> dict[int, int]:
    changes = _depth_changes(pairs)
    closing_by_opening: dict[int, int] = {}
    open_brackets: list[int] = []

    for place, text in places:
        if text not in changes:
            continue

        if changes[text] > 0:
            open_brackets.append(place)
        elif open_brackets:
            closing_by_opening[open_brackets.pop()] = place

    return closing_by_opening


@lru_cache
def _depth_changes(pairs: str) -> dict[str, int]:
    opening, closing = pairs[::2], pairs[1::2]
    return dict.fromkeys(opening, 1) | dict.fromkeys(closing, -1)


@lru_cache
def _bracket_pattern(pairs: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(pairs)}]")


@lru_cache
def _bracket_or_opaque_pattern(pairs: str) -> re.Pattern[str]:
    return re.compile(f"{OPAQUE_PATTERN}|[{re.escape(pairs)}]")
