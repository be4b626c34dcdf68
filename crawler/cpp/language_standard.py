"""The C++ standard requested by a compile command or recorded in the first line of a kernel
unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

DEFAULT_STANDARD: Final = "c++17"
"""What our preludes need at least, and most projects ask for."""
_NEWER: Final = {
    "20": "c++20",
    "2a": "c++20",
    "23": "c++23",
    "2b": "c++23",
    "26": "c++2c",
    "2c": "c++2c",
}
KNOWN_STANDARDS: Final = frozenset({DEFAULT_STANDARD, *_NEWER.values()})
_COMMENT: Final = re.compile(r"\A// -std=(c\+\+\w+)$", re.MULTILINE)


def requested_standard(arguments: Sequence[str]) -> str:
    """Return the standard of a compile command, where it is newer than the usual one."""
    given = [
        argument.partition("=")[2]
        for argument in arguments
        if argument.startswith(("-std=", "--std="))
    ]
    return _NEWER.get(given[-1][-2:], DEFAULT_STANDARD) if given else DEFAULT_STANDARD


def format_standard_comment(standard: str) -> str:
    """Return the first line of a unit that needs another standard than the usual one; empty for
    that one.
    """
    return "" if standard == DEFAULT_STANDARD else f"// -std={standard}\n"


def read_recorded_standard(source: str) -> str:
    """Return the standard that a unit's text says it needs."""
    found = _COMMENT.match(source)
    return found[1] if found and found[1] in _NEWER.values() else DEFAULT_STANDARD
