"""Leave out how many elements a dynamic array of shared memory has: nvcc accepts the number,
clang does not.

`extern __shared__ float tile[32][32];` begins where `extern __shared__ float tile[][32];` does,
and its kernel's launch says how large it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.brackets import closing_word
from crawler.cpp.lexer import TokenKind, join_tokens, tokenize

_MAX_DECLARATION_TOKENS: Final = 256
"""Tokens within which a declaration of an array ends."""
_ENDS: Final = frozenset({";", "{", "}", "="})


def omit_extents_of_dynamic_arrays(text: str) -> str:
    """Return code in which no `extern __shared__` array has a first extent."""
    if "__shared__" not in text or "extern" not in text:
        return text

    tokens = list(tokenize(text))
    significant_indices = [
        index
        for index, token in enumerate(tokens)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]

    words = [tokens[index].text for index in significant_indices]
    omitted: set[int] = set()
    for at, word in enumerate(words):
        if word != "__shared__":
            continue

        start, end = _find_declaration(words, at)
        if "extern" not in words[start:end]:
            continue

        for first, last in _iter_first_extents(words, at, end):
            omitted.update(significant_indices[first:last])

    if not omitted:
        return text

    kept = [token for index, token in enumerate(tokens) if index not in omitted]

    return join_tokens(kept)


def _find_declaration(words: Sequence[str], at: int) -> tuple[int, int]:
    """Return where the declaration begins that the word at `at` belongs to, and where it ends."""
    start, end = at, at
    first = max(0, at - _MAX_DECLARATION_TOKENS)
    while start > first and words[start - 1] not in _ENDS:
        start -= 1

    last = min(len(words), at + _MAX_DECLARATION_TOKENS)
    while end < last and words[end] not in _ENDS:
        end += 1

    return start, end


def _iter_first_extents(
    words: Sequence[str], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield, for each array that is declared, which words say how many elements it has."""
    at = start
    while at < end:
        # what `alignas(…)` and `[[…]]` hold is not looked at
        if words[at] not in ("(", "["):
            at += 1
            continue

        closing = closing_word(words, at, end)
        if closing < 0:
            return

        is_extent = words[at] == "[" and words[at + 1] not in ("[", "]")
        if is_extent and words[at - 1].isidentifier():
            yield at + 1, closing

        at = closing + 1
