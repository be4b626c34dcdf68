"""Find how many elements dynamic arrays of shared memory are said to have.

nvcc accepts `extern __shared__ float tile[32][32];`, and clang, which compiles HIP too, wants
`tile[][32]`. Both begin at the same place, and the launch says how large the array is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from crawler.cpp.brackets import closing_word
from crawler.cpp.lexer import TokenKind, tokenize

_MAX_DECLARATION_TOKENS: Final = 256
"""Tokens within which a declaration of an array ends."""
_CLOSING: Final = {"(": ")", "[": "]"}
_ENDS: Final = frozenset({";", "{", "}", "="})


def find_dynamic_extents(text: str) -> list[tuple[int, int]]:
    """Return where the first extents of `extern __shared__` arrays stand, as offsets of `text`.

    Arrays without one, as C++ wants them, have none.
    """
    if "__shared__" not in text or "extern" not in text:
        return []

    tokens = list(tokenize(text))
    offsets = list(accumulate((len(token.text) for token in tokens), initial=0))
    significant_indices = [
        index
        for index, token in enumerate(tokens)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]

    words = [tokens[index].text for index in significant_indices]
    # a declaration may say `__shared__` twice
    extents: dict[tuple[int, int], None] = {}
    for word_index, word in enumerate(words):
        if word != "__shared__":
            continue

        start, end = _find_declaration(words, word_index)
        if "extern" not in words[start:end]:
            continue

        for opening, closing in _iter_first_extents(words, word_index, end):
            start_offset = offsets[significant_indices[opening] + 1]
            end_offset = offsets[significant_indices[closing]]
            extents[start_offset, end_offset] = None

    return list(extents)


def _find_declaration(words: Sequence[str], index: int) -> tuple[int, int]:
    """Return where the declaration of the word at `index` begins, and where it ends."""
    start, end = index, index
    first = max(0, index - _MAX_DECLARATION_TOKENS)
    while start > first and words[start - 1] not in _ENDS:
        start -= 1

    last = min(len(words), index + _MAX_DECLARATION_TOKENS)
    while end < last and words[end] not in _ENDS:
        end += 1

    return start, end


def _iter_first_extents(
    words: Sequence[str], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield, for each array that is declared, the brackets that say how many elements it has."""
    position = start
    while position < end:
        # what `alignas(…)` and `[[…]]` hold is not looked at
        if words[position] not in ("(", "["):
            position += 1
            continue

        closing = closing_word(words, position, end)
        is_closed = closing > position and words[closing] == _CLOSING[words[position]]
        if not is_closed:
            return

        is_extent = words[position] == "[" and words[position + 1] not in ("[", "]")
        if is_extent and words[position - 1].isidentifier():
            yield position, closing

        position = closing + 1
