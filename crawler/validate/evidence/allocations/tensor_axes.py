"""The axes of tensors whose sizes host code asks for: `x.size(1)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.lexer import TokenKind
from crawler.validate.evidence.allocations.host_words import read_host_words

_QUESTION_WORDS: Final = 6
"""`x`, `.`, `size`, `(`, `1` and `)`."""
_MAX_AXIS: Final = 15


def find_asked_axes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the axes of each tensor that is asked for them by number, in order."""
    axes: dict[str, set[int]] = {}

    for text in texts:
        words = read_host_words(text)
        for begin in range(len(words) - _QUESTION_WORDS + 1):
            tensor, dot, method, opening, axis, closing = words[
                begin : begin + _QUESTION_WORDS
            ]
            signs = (dot.text, method.text, opening.text, closing.text)
            if signs != (".", "size", "(", ")") or axis.kind is not TokenKind.NUMBER:
                continue

            if axis.text.isdecimal() and int(axis.text) <= _MAX_AXIS:
                axes.setdefault(tensor.text, set()).add(int(axis.text))

    return {tensor: tuple(sorted(numbers)) for tensor, numbers in axes.items()}


def find_counted_tensors(texts: Sequence[str]) -> frozenset[str]:
    """Return the tensors that are asked how many elements they have: `x.numel()`."""
    tensors: set[str] = set()

    for text in texts:
        words = read_host_words(text)
        for tensor, dot, method in zip(words, words[1:], words[2:], strict=False):
            if dot.text == "." and method.text == "numel":
                tensors.add(tensor.text)

    return frozenset(tensors)
