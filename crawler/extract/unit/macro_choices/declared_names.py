"""Find what a text of C++ seems to declare, from its tokens alone and in one pass."""

from __future__ import annotations

from typing import Final

from crawler.cpp.comments import without_comments_and_literals
from crawler.cpp.lexer import TokenKind, tokenize

_NO_TYPES: Final = frozenset({"return", "case", "else", "goto"})
_MAX_HEAD: Final = 80
"""Characters between `enum` and its brace."""
_MAX_BODY: Final = 4_000
"""Characters of an enumeration that are looked at."""


def find_declared_names(raw_text: str) -> frozenset[str]:
    """Return the names with a word in front of them, as variables and parameters of templates
    have, and those in the braces of an `enum`.
    """
    # prose puts words in front of names as declarations do
    reader = _DeclarationReader()
    for token in tokenize(without_comments_and_literals(raw_text)):
        reader.take_token(token.kind, token.text)

    return frozenset(reader.names)


class _DeclarationReader:
    """What was seen of a text before the next token."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._follows_type = False
        self._has_mark = False
        self._ends_with_blank = False
        self._head_left = -1
        """Characters in which the brace of an `enum` may still come; negative for none."""
        self._body_left = -1

    def take_token(self, kind: TokenKind, text: str) -> None:
        """Take in the next token."""
        if kind is TokenKind.NAME:
            self._take_name(text)
        elif kind is TokenKind.SPACE and not text.strip(" \t"):
            self._ends_with_blank = True
        elif text in ("&", "*") and self._follows_type and not self._has_mark:
            self._has_mark = True
            self._ends_with_blank = False
        else:
            self._follows_type = False

        self._follow_enumeration(text)

    def _take_name(self, name: str) -> None:
        is_declared = self._follows_type and self._ends_with_blank
        if is_declared or self._body_left >= 0:
            self.names.add(name)

        self._follows_type = name not in _NO_TYPES and name[0].isascii()
        self._has_mark = self._ends_with_blank = False

    def _follow_enumeration(self, text: str) -> None:
        self._body_left = max(-1, self._body_left - len(text))
        if text == "enum":
            self._head_left = _MAX_HEAD
        elif text == "{" and self._head_left >= 0:
            self._head_left, self._body_left = -1, _MAX_BODY
        elif text in ("{", ";"):
            self._head_left = -1
        elif text == "}":
            self._body_left = -1
            self._head_left = max(-1, self._head_left - len(text))
        else:
            self._head_left = max(-1, self._head_left - len(text))
