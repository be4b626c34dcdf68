"""Add the `template` that nvcc lets a call of a member template omit.

`matrix.block<3, 3>(0, 0)` compares twice where `matrix` depends on a parameter (C++17,
[temp.names]), unless it is written `matrix.template block<3, 3>(0, 0)`; that may be written where
nothing depends on a parameter, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

# a declaration that clang may refuse: `a.b<3>(`; most have none. Bounded, since its author is a
# stranger: `a.b<a.b<a.b<…` would be read to its end from each of its signs.
_CALL: Final = re.compile(r"(?:\.|->)\s*[A-Za-z_]\w*\s*<[^;(){}]{0,400}>\s*\(")
_ACCESSES: Final = frozenset({".", "->"})
_BLANKS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_ARGUMENT_SIGNS: Final = frozenset({",", "::", "*", "+", "-"})
"""Signs that may stand among template arguments. Between the `<` and the `>` of two comparisons
stands another one, such as `&&`, or a bracket.
"""
_MAX_TOKENS: Final = 24
"""Tokens of the template arguments, of their brackets, and of the call's opening bracket."""


def insert_template(text: str) -> str:
    """Return a declaration with `template` before each member template that it calls."""
    if "template" not in text or not _CALL.search(text):
        return text

    tokens = list(tokenize(text))
    for index in _iter_member_templates(tokens):
        token = tokens[index]
        tokens[index] = Token(token.kind, f"template {token.text}", token.line)
    return join_tokens(tokens)


def _iter_member_templates(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the position of the name of each member template that is called without `template`."""
    indices = [index for index, token in enumerate(tokens) if token.kind not in _BLANKS]
    for position, index in enumerate(indices[1:], 1):
        is_member = tokens[indices[position - 1]].text in _ACCESSES
        if not is_member or tokens[index].kind is not TokenKind.NAME:
            continue

        places = indices[position + 1 : position + 1 + _MAX_TOKENS]
        if _opens_call(tokens[place] for place in places):
            yield index


def _opens_call(tokens: Iterable[Token]) -> bool:
    """Tell whether tokens begin with template arguments and the bracket of a call."""
    depth = 0
    for token, following in pairwise(tokens):
        if token.text == "<":
            depth += 1
        elif not depth:
            return False
        elif token.text == ">":
            depth -= 1
            if not depth:
                return following.text == "("
        elif token.kind is TokenKind.PUNCTUATION and token.text not in _ARGUMENT_SIGNS:
            return False
    return False
