"""The axes of tensors whose sizes host code asks for: `x.size(1)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.lexer import Token, TokenKind
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
            question = words[begin : begin + _QUESTION_WORDS]
            axis = _read_axis(question)
            if axis is not None:
                tensor = question[0].text
                axes.setdefault(tensor, set()).add(axis)

    return {tensor: tuple(sorted(numbers)) for tensor, numbers in axes.items()}


def _read_axis(words: Sequence[Token]) -> int | None:
    """Return `1` of `x.size(1)`; `None` where the words say something else."""
    _, dot, method, opening, axis, closing = words
    signs = (dot.text, method.text, opening.text, closing.text)
    if signs != (".", "size", "(", ")") or axis.kind is not TokenKind.NUMBER:
        return None

    is_plain = axis.text.isdecimal() and int(axis.text) <= _MAX_AXIS
    return int(axis.text) if is_plain else None


def find_counted_tensors(texts: Sequence[str]) -> frozenset[str]:
    """Return the tensors that are asked how many elements they have: `x.numel()`."""
    tensors: set[str] = set()

    for text in texts:
        words = read_host_words(text)
        for tensor, dot, method in zip(words, words[1:], words[2:], strict=False):
            if dot.text == "." and method.text == "numel":
                tensors.add(tensor.text)

    return frozenset(tensors)
