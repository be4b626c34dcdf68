"""Words in the names of kernels and functions, and whether they name an operator."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.model import Kernel, OperatorRole

# `matMul2D` and `MATMUL_2d` alike: capitals in a row are one word
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MIN_GLUED_LETTERS: Final = 6
"""Of words that are found within another without a mark between them: `vectoraddkernel`."""
_MAX_NAME_LETTERS: Final = 200
Words = tuple[str, ...]


def list_names(kernel: Kernel) -> tuple[str, ...]:
    """Return the names that say what a kernel is for: its own and those of what calls it."""
    names = [kernel.name]
    names += [launch.enclosing for launch in kernel.launches]
    names += [operator.name for operator in kernel.operators]
    names += [code.name for code in kernel.host if code.role is not OperatorRole.PYTHON]
    bare_names = [name.rpartition("::")[2][:_MAX_NAME_LETTERS] for name in names]

    return tuple(dict.fromkeys(name for name in bare_names if name))


def split_words(name: str) -> Words:
    """Return the words of a name in small letters: `vecAdd_f32` is `vec`, `add`, `f`, `32`."""
    return tuple(word.lower() for word in _WORD.findall(name))


def has_words(words: Words, phrase: str) -> bool:
    """Tell whether a name has the words of `phrase` side by side, or written as one."""
    wanted_words = tuple(phrase.split())
    glued = "".join(wanted_words)
    if glued in words:
        return True

    count = len(wanted_words)
    places = range(len(words) - count + 1)
    if any(words[place : place + count] == wanted_words for place in places):
        return True

    return len(glued) >= _MIN_GLUED_LETTERS and glued in "".join(words)


def has_any_words(words: Words, phrases: Iterable[str]) -> bool:
    """Tell whether a name has the words of one of `phrases`."""
    return any(has_words(words, phrase) for phrase in phrases)
