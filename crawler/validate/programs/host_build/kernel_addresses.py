"""Addresses of kernels that a program keeps as `void*`: whoever launches one must know its type."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind

_BLANK: Final = (TokenKind.SPACE, TokenKind.COMMENT)
_NO_FUNCTIONS: Final = ("__launch_bounds__", "__attribute__", "alignas")
"""What has brackets behind it, too, in the head of a function."""
_VOID_POINTERS: Final = (
    ("(", "void", "*", ")"),
    ("(", "const", "void", "*", ")"),
    ("(", "void", "const", "*", ")"),
)
_REMEMBER: Final = "(::kernelset::KernelAddress)"
_MAX_HEAD_TOKENS: Final = 200
"""Of a kernel's head up to its parameters."""


def list_kernel_names(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the name of each kernel that is declared."""
    for position, token in enumerate(tokens):
        if token.text == "__global__":
            name = _find_name(tokens, position + 1)
            if name:
                yield name


def _find_name(tokens: Sequence[Token], begin: int) -> str:
    name = ""
    position = begin
    end = min(begin + _MAX_HEAD_TOKENS, len(tokens))

    while position < end and tokens[position].text not in (";", "{"):
        token = tokens[position]
        if token.text == "(" and name not in _NO_FUNCTIONS:
            return name
        if token.text == "(":
            position = max(closing_token(tokens, position, end), position)
        elif token.kind is TokenKind.NAME:
            name = token.text
        position += 1

    return ""


def keep_kernel_types(tokens: Sequence[Token], names: Collection[str]) -> list[Token]:
    """Return `tokens` in which `(void*)K` of a kernel among `names` has the runtime take notice of
    its type first.
    """
    kept = list(tokens)
    visible = [index for index, token in enumerate(tokens) if token.kind not in _BLANK]

    for order, index in enumerate(visible):
        if tokens[index].text not in names:
            continue
        before = visible[max(0, order - 5) : order]
        texts = tuple(tokens[position].text for position in before)
        if any(texts[-len(cast) :] == cast for cast in _VOID_POINTERS):
            bracket = tokens[before[-1]]
            kept[before[-1]] = bracket._replace(text=f"){_REMEMBER}")

    return kept
