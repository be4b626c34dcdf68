"""Comments and literals taken out of raw text by one quick search.

These functions serve questions about a whole file that are asked of every file of a tree. Where
the kind of each place counts, use `MaskedSource`.
"""

from __future__ import annotations

import re
from typing import Final

# Each alternative begins with a literal character, by which a search goes fast. The prefix of a
# raw string is looked for behind its quote for the same reason.
_RAW_STRING_BODY: Final = (
    r"""(?:(?<=\WR")|(?<=\W[uUL]R")|(?<=\Wu8R"))(?P<delimiter>[^()\\\s"]{0,16})"""
    r"""\((?s:.*?)(?:\)(?P=delimiter)"|\Z)"""
)
_STRING_BODY: Final = r"""(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTER_BODY: Final = r"""(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
# the quotes of 1'000'000
_DIGIT_SEPARATOR: Final = r"(?<=[0-9a-fA-F]')(?<!\Wu8')(?=[0-9a-fA-F])"
_SPLICED_COMMENT: Final = r"/(?:/(?:[^\\\n]|\\\r?\n|\\)*|\*(?s:.*?)(?:\*/|\Z))"
OPAQUE_PATTERN: Final = (
    rf"""{_SPLICED_COMMENT}|"(?:{_RAW_STRING_BODY}|{_STRING_BODY})"""
    rf"""|'(?:{_DIGIT_SEPARATOR}|{_CHARACTER_BODY})"""
)
"""A pattern for what hides brackets and directives: comments, strings and characters."""

# both find what is never closed up to the end of the text
_COMMENT: Final = re.compile(r"/(?:/[^\n]*+|\*.*?(?:\*/|\Z))", re.DOTALL)
# strings too, so that no `//` in one is taken for a comment; found up to the end like the above
_COMMENT_OR_LITERAL: Final = re.compile(
    r"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\bR"([^()\\\s"]{0,16})\(.*?(?:\)\1"|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*"?|(?<!\w)'(?:[^'\\\n]|\\.)*'?""",
    re.DOTALL,
)


def without_comments(text: str) -> str:
    """Return raw text with one blank in place of each comment.

    Strings are not looked at, so `"http://a"` loses its end: good enough to search names in, not
    to compile.
    """
    return _COMMENT.sub(" ", text)


def blank_comments(text: str) -> str:
    """Return raw text with each comment blanked in place, so that every offset stays."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def without_comments_and_literals(text: str) -> str:
    """Return raw text with one blank in place of each comment, string and character."""
    return _COMMENT_OR_LITERAL.sub(" ", text)


def blank_comments_and_literals(text: str) -> str:
    """Return raw text with each comment, string and character blanked in place.

    Line ends stay, so that every offset and every line number is the same in both.
    """
    return _COMMENT_OR_LITERAL.sub(lambda hidden: blank(hidden[0]), text)


def find_comments(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the comments of raw text, in order; what a string holds is none."""
    return [
        hidden.span()
        for hidden in _COMMENT_OR_LITERAL.finditer(text)
        if hidden[0].startswith("/")
    ]


def blank(text: str) -> str:
    """Return as many blanks as `text` has characters, its line ends kept."""
    return "\n".join(" " * len(line) for line in text.split("\n"))
