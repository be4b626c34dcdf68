"""Show a stranger's text as text: what could act on a page or a reader is spelt out."""

from __future__ import annotations

import re
from typing import Any, Final

from markupsafe import Markup

from workers.cli.terminal import INVISIBLE_CHARACTERS

# Control characters but tabs and line ends, and what nobody sees.
_UNSAFE: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{INVISIBLE_CHARACTERS}]")
MAX_LINE_CHARACTERS: Final = 1000
"""Of one line, after which it is cut: a browser would stand still over millions."""


def spell_out(text: str) -> str:
    """Return a text in which nothing acts: such characters are written as escapes."""
    return _UNSAFE.sub(_spell_character, text.replace("\r\n", "\n"))


def shorten_line(line: str, limit: int = MAX_LINE_CHARACTERS) -> str:
    """Return a line, cut where it is far too long to be read."""
    if len(line) <= limit:
        return line
    return f"{line[:limit]}… ({len(line)} characters)"


def finalize(value: Any) -> Any:
    """Return what a template prints for a value; markup that we made stays as it is."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    # a plain string also for an enumeration, of which a template would print the class
    return spell_out(str.__str__(value))


def _spell_character(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode()
