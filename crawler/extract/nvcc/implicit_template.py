"""Add the `template` that nvcc lets a call of a member template omit.

`matrix.block<3, 3>(0, 0)` compares twice where `matrix` depends on a parameter (C++17,
[temp.names]), unless it is written `matrix.template block<3, 3>(0, 0)`; that may be written where
nothing depends on a parameter, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

# a text that clang would not parse; most have none of these
_CALL: Final = re.compile(r"(?:\.|->)\s*[A-Za-z_]\w*\s*<[^;(){}]*>\s*\(")
_ACCESSES: Final = frozenset({".", "->"})
_BLANKS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_ARGUMENT_SIGNS: Final = frozenset({",", "::", "*", "+", "-"})
"""What stands among template arguments that no comparison has: a comparison of two sizes has `&&`
between them, or a bracket.
"""
_MAX_TOKENS: Final = 24
"""Of the arguments, their brackets, and the call's."""


def insert_template(text: str) -> str:
    """Return a declaration of a template whose calls of member templates say so."""
    if "template" not in text or not _CALL.search(text):
        return text

    tokens = list(tokenize(text))
    for index in _iter_called_names(tokens):
        token = tokens[index]
        tokens[index] = Token(token.kind, f"template {token.text}", token.line)
    return join_tokens(tokens)


def _iter_called_names(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield where the name of a member template stands that is called without the word."""
    indices = [index for index, token in enumerate(tokens) if token.kind not in _BLANKS]
    for position, index in enumerate(indices[1:], 1):
        is_member = tokens[indices[position - 1]].text in _ACCESSES
        if not is_member or tokens[index].kind is not TokenKind.NAME:
            continue

        following = [tokens[place] for place in indices[position + 1 :][:_MAX_TOKENS]]
        if tokens[index].text != "template" and _is_argument_list(following):
            yield index


def _is_argument_list(tokens: Sequence[Token]) -> bool:
    """Tell whether tokens begin with template arguments and the bracket of a call."""
    if not tokens or tokens[0].text != "<":
        return False

    depth = 0
    for token, following in pairwise(tokens):
        if token.text == "<":
            depth += 1
        elif token.text == ">":
            depth -= 1
            if not depth:
                return following.text == "("
        elif token.kind is TokenKind.PUNCTUATION and token.text not in _ARGUMENT_SIGNS:
            return False
    return False
