"""The C++ standard that a compile command requests, or that a kernel unit's first line records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

DEFAULT_STANDARD: Final = "c++17"
"""What our preludes need at least, and most projects ask for."""
_NEWER_STANDARDS: Final = {
    "20": "c++20",
    "2a": "c++20",
    "23": "c++23",
    "2b": "c++23",
    "26": "c++2c",
    "2c": "c++2c",
}
"""Standards above the default one, by the last two characters of their names."""
KNOWN_STANDARDS: Final = frozenset({DEFAULT_STANDARD, *_NEWER_STANDARDS.values()})
# the first line of a unit, as the function below writes it
_STANDARD_COMMENT: Final = re.compile(r"\A// -std=(c\+\+\w+)$", re.MULTILINE)


def requested_standard(arguments: Sequence[str]) -> str:
    """Return the standard of a compile command, where it is newer than the default one."""
    values = [
        argument.partition("=")[2]
        for argument in arguments
        if argument.startswith(("-std=", "--std="))
    ]
    if not values:
        return DEFAULT_STANDARD

    # of several options the last one counts
    return _NEWER_STANDARDS.get(values[-1][-2:], DEFAULT_STANDARD)


def drop_standard(arguments: Sequence[str]) -> list[str]:
    """Return flags without the standard and language: one of our own is set."""
    remaining_flags: list[str] = []
    is_language = False

    for word in arguments:
        if is_language or word == "-x":
            is_language = word == "-x" and not is_language
            continue
        if not word.startswith(("-std=", "--std=")):
            remaining_flags.append(word)

    return remaining_flags


def format_standard_comment(standard: str) -> str:
    """Return the first line of a unit that needs `standard`; empty for the default one."""
    if standard == DEFAULT_STANDARD:
        return ""

    return f"// -std={standard}\n"


def read_recorded_standard(source: str) -> str:
    """Return the standard that a unit's text says it needs."""
    comment = _STANDARD_COMMENT.match(source)
    if comment is None or comment[1] not in _NEWER_STANDARDS.values():
        return DEFAULT_STANDARD

    return comment[1]
