"""Parse a stranger's TOML in bounded time."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

_MAX_KEY_PARTS: Final = 64
# A key such as `a.b."c"`: its parts cost tomllib quadratic time, and each line below a header
# costs as much as the header has parts.
_KEY_PART: Final = r"""(?>[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*+"""
# TOML that nobody has parsed yet, since such a key takes a parser long
_LONG_KEY: Final = re.compile(
    rf"(?<![\w-])(?:{_KEY_PART}\.[ \t]*+){{{_MAX_KEY_PARTS}}}"
)


def parse_toml(text: str) -> dict[str, Any]:
    """Return a document, empty where it is malformed, nested too deep or has endless keys."""
    if _has_long_key(text):
        return {}

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        # also an integer of more digits than Python converts
        return {}


def _has_long_key(text: str) -> bool:
    # a line without that many dots has no such key, and most lines have few
    return any(
        line.count(".") >= _MAX_KEY_PARTS and _LONG_KEY.search(line)
        for line in text.split("\n")
    )
