"""Keep the device functions of each translation unit to itself, as a device's compiler does.

Without relocatable device code two sources may each have an inline `__device__ float area(Box)` of
its own. To a host's linker the two are one function, and it takes the first that it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.lexer import Token, TokenKind

INTERNAL: Final = "__attribute__((internal_linkage))"
_DEVICE: Final = "__device__"
_OTHER_SIDES: Final = frozenset({"__host__", "__global__"})
_ELSEWHERE: Final = frozenset({"extern", "typedef", "using"})
"""What is not defined here, or defines nothing."""
_BEGINNINGS: Final = frozenset({";", "{", "}", ":", ">", ")", "#"})
_ENDS: Final = frozenset({"(", ";", "=", "{", ")", "}"})
_NO_DECLARATION_BEFORE: Final = frozenset(
    {"]", ")", "struct", "class", "union", "enum"}
)
"""In front of the word where it says something of a lambda, or of a type."""
_MAX_SPECIFIERS: Final = 40
_GAPS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})


def keep_functions_internal(tokens: Sequence[Token]) -> list[Token]:
    """Return `tokens` with what is declared for devices alone known within this source only."""
    words = [(at, token) for at, token in enumerate(tokens) if token.kind not in _GAPS]
    internal = list(tokens)

    for index, (position, token) in enumerate(words):
        if token.text == _DEVICE and _is_own_declaration(words, index):
            internal[position] = token._replace(text=INTERNAL)

    return internal


def drop_internal(text: str) -> str:
    """Return a source whose functions are anybody's: where one was declared before without the
    word, clang refuses that.
    """
    return text.replace(INTERNAL, "")


def _is_own_declaration(words: Sequence[tuple[int, Token]], index: int) -> bool:
    """Tell whether the word at `index` is the first of a declaration that is for devices alone."""
    if index and words[index - 1][1].text in _NO_DECLARATION_BEFORE:
        return False

    specifiers: set[str] = set()
    for _, token in reversed(words[max(0, index - _MAX_SPECIFIERS) : index]):
        if token.text in _BEGINNINGS:
            break
        specifiers.add(token.text)
    if _DEVICE in specifiers:
        return False

    for _, token in words[index + 1 : index + _MAX_SPECIFIERS]:
        if token.text in _ENDS:
            break
        specifiers.add(token.text)

    return not specifiers & (_OTHER_SIDES | _ELSEWHERE)
