"""Qualify a default argument that is called like its own parameter.

nvcc takes `void add(int n = n)` in a class with a constant `n`; to clang the second `n` is the
parameter, as the standard has it (C++17, [basic.scope.pdecl]).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

# a text that clang would not parse; most have none of these
_SELF_NAMED: Final = re.compile(r"[\w>*&]\s+([A-Za-z_]\w*)\s*=\s*\1\s*[,)]")
_CLASS_WORDS: Final = frozenset({"class", "struct"})
_PARAMETER_ENDS: Final = frozenset({",", "=", ">"})
_BLANKS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})


def qualify_self_named_defaults(text: str) -> str:
    """Return a text in which such a default names the class that it is a constant of."""
    if not _SELF_NAMED.search(text):
        return text

    tokens = list(tokenize(text))
    for index, owner in _iter_self_named(tokens):
        token = tokens[index]
        tokens[index] = Token(token.kind, f"{owner}::{token.text}", token.line)
    return join_tokens(tokens)


def _iter_self_named(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    """Yield where a default stands that is called like its parameter, and in which class."""
    indices = [index for index, token in enumerate(tokens) if token.kind not in _BLANKS]
    words = [tokens[index].text for index in indices]
    classes = _OpenClasses()
    for position, word in enumerate(words):
        classes.enter(word)
        if not classes.is_in_class():
            continue

        following = words[position + 1 : position + 2]
        if classes.depth == 0 and following in (["="], [";"]):
            classes.add_member(word)
        if classes.depth == 1 and _is_self_named(words, position):
            owner = classes.find_owner(word)
            if owner:
                yield indices[position], owner


class _OpenClasses:
    """The braces that are open at a word, and which of them are of classes."""

    def __init__(self) -> None:
        self.depth = 0
        """Of round brackets."""
        self._members_by_brace: list[tuple[str, set[str]]] = []
        # the class whose head this is, once it is named
        self._class_name = ""
        self._is_class_head = False

    def enter(self, word: str) -> None:
        """Go on by a word."""
        if word in ("{", "}"):
            self._enter_brace(word)
        elif word in _CLASS_WORDS:
            self._is_class_head, self._class_name = True, ""
        elif self.depth == 0:
            self._enter_head(word)
        self.depth += (word == "(") - (word == ")")

    def is_in_class(self) -> bool:
        """Tell whether the innermost brace is of a class with a name."""
        return bool(self._members_by_brace) and bool(self._members_by_brace[-1][0])

    def add_member(self, name: str) -> None:
        """Note a variable of the innermost class."""
        self._members_by_brace[-1][1].add(name)

    def find_owner(self, name: str) -> str:
        """Return the innermost class with such a variable; empty without one."""
        # a class within another may mean what the outer one has
        for owner, members in reversed(self._members_by_brace):
            if name in members:
                return owner
        return ""

    def _enter_brace(self, word: str) -> None:
        if word == "{":
            self._members_by_brace.append((self._class_name, set()))
            self._is_class_head, self._class_name = False, ""
        elif self._members_by_brace:
            self._members_by_brace.pop()

    def _enter_head(self, word: str) -> None:
        if word == ";" or (self._is_class_head and word in _PARAMETER_ENDS):
            # `class T>` is a template's parameter
            self._is_class_head, self._class_name = False, ""
        elif word in (":", "<"):
            self._is_class_head = False
        elif self._is_class_head and word.isidentifier() and word != "final":
            # behind attributes: `class __align__(16) A`
            self._class_name = word


def _is_self_named(words: list[str], position: int) -> bool:
    """Tell whether a word is a default as `int n = n` has it."""
    before = words[max(position - 3, 0) : position]
    behind = words[position + 1 : position + 2]
    if len(before) < 3 or not behind or behind[0] not in (",", ")"):
        return False
    # a type stands in front of a parameter
    is_own_default = before[1:] == [words[position], "="]
    return is_own_default and before[0] not in ("(", ",")
