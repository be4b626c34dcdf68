"""Template arguments as a compiler names them in a running program, held against a unit's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# `c10::`, `at::native::`, `(anonymous namespace)::`
_QUALIFIER: Final = re.compile(r"(?:\w+|\(anonymous(?: namespace)?\))\s*::\s*")
# `(ReductionType)2U`: a value with its type in front
_CAST: Final = re.compile(r"^\([\w:<> ]+\)")
_SUFFIX: Final = re.compile(r"(?<=\d)[uUlL]+$")
_SPACE: Final = re.compile(r"\s+")
_OPENING: Final = "<([{"
_CLOSING: Final = ">)]}"


def parse_template_arguments(text: str) -> tuple[str, ...]:
    """Return the values of `[T = float, N = 3]`, as clang writes a function's in
    `__PRETTY_FUNCTION__`; none for an empty text.
    """
    inner = text.strip().removeprefix("[").removesuffix("]")
    parts = _split_at_commas(inner) if inner else []
    return tuple(part.partition("=")[2].strip() for part in parts)


def are_same_arguments(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether two lists of arguments mean the same, however their names are qualified."""
    if len(first) != len(second):
        return False

    return all(
        _normalise(argument) == _normalise(other)
        for argument, other in zip(first, second, strict=True)
    )


def _split_at_commas(text: str) -> list[str]:
    parts = [""]
    depth = 0

    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character

    return parts


def _normalise(argument: str) -> str:
    unqualified = _QUALIFIER.sub("", argument.strip())
    value = _SUFFIX.sub("", _CAST.sub("", unqualified))
    return _SPACE.sub("", value)
