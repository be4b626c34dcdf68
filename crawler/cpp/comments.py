"""Comments and literals taken out of raw text by one quick search.

These are for questions about a whole file, asked of every file of a tree. Where each place
counts,
use `Visible`.
"""

from __future__ import annotations

import re
from typing import Final

# both find what is never closed up to the end of the text
_COMMENT: Final = re.compile(r"/(?:/[^\n]*+|\*.*?(?:\*/|\Z))", re.DOTALL)
_COMMENT_OR_LITERAL: Final = re.compile(
    r"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\bR"([^()\\\s"]{0,16})\(.*?(?:\)\1"|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*"?|(?<!\w)'(?:[^'\\\n]|\\.)*'?""",
    re.DOTALL,
)
_NOT_LINE_END: Final = re.compile(r"[^\n]")


def without_comments(text: str) -> str:
    """Return raw text with a blank for each comment.

    Strings are not looked at, so `"http://a"` loses its end: good enough to search names in,
    not to
    compile.
    """
    return _COMMENT.sub(" ", text)


def blank_comments(text: str) -> str:
    """Return raw text with each comment blanked in place, so that every offset stays."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def without_comments_and_literals(text: str) -> str:
    """Return raw text with a blank for each comment, string and character."""
    return _COMMENT_OR_LITERAL.sub(" ", text)


def blank_comments_and_literals(text: str) -> str:
    """Return raw text with all of them blanked in place; line ends stay, too."""
    return _COMMENT_OR_LITERAL.sub(lambda found: blank(found[0]), text)


def blank(text: str) -> str:
    """Return blanks in place of a text, its line ends kept."""
    return _NOT_LINE_END.sub(" ", text)
