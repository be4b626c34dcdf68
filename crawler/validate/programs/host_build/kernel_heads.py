"""Names of a kernel's parameters, read off the tokens of its preprocessed definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import find_top_level, split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, join_tokens

_BLANK: Final = (TokenKind.SPACE, TokenKind.COMMENT)
_TYPE_WORDS: Final = frozenset(
    {
        "bool",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "unsigned",
        "float",
        "double",
        "void",
        "auto",
        "const",
        "volatile",
        "__restrict",
        "__restrict__",
        "wchar_t",
        "char16_t",
        "char32_t",
        "char8_t",
        "__int128",
    }
)
"""Words that end a declaration without a name."""
_LEADING_WORDS: Final = frozenset(
    {"const", "volatile", "struct", "class", "enum", "union", "typename", "register"}
)
"""Words that stand in front of a type: what follows them alone is that type, and no name."""
_NO_FUNCTIONS: Final = frozenset(
    {
        "__attribute__",
        "__launch_bounds__",
        "__declspec",
        "alignas",
        "decltype",
        "noexcept",
        "requires",
    }
)
"""What has brackets behind it, too, in the head of a function."""


def name_parameters(tokens: list[Token], begin: int, body: int) -> list[str] | None:
    """Return an expression for each parameter of the kernel whose head lies between `begin` and
    `body`: `x`, or `rest...` for a pack.

    A parameter without a name is given one in `tokens`. `None` where the head is not understood.
    """
    opening = _find_parameter_list(tokens, begin, body)
    if opening < 0:
        return None

    closing = closing_token(tokens, opening, body)
    expressions: list[str] = []
    position = opening + 1

    for part in split_tokens(tokens[opening + 1 : closing], angles=True):
        words = _list_declarator(part)
        if words and words != ["void"]:
            name = _find_name(words)
            if name is None:
                name = f"ks_parameter{len(expressions)}"
                if not _append_name(tokens, position, part, name):
                    return None

            is_pack = "..." in "".join(words)
            expressions.append(f"{name}..." if is_pack else name)
        position += len(part) + 1

    return expressions


def _find_parameter_list(tokens: Sequence[Token], begin: int, body: int) -> int:
    """Return the position of the bracket that opens the parameters, the last such one; else -1."""
    position, opening = begin, -1

    while position < body:
        if tokens[position].text == "(":
            closing = closing_token(tokens, position, body)
            if closing < 0:
                return -1
            if _previous_text(tokens, position) not in _NO_FUNCTIONS:
                opening = position
            position = closing
        position += 1

    return opening


def _previous_text(tokens: Sequence[Token], position: int) -> str:
    position -= 1
    while position >= 0 and tokens[position].kind in _BLANK:
        position -= 1

    return tokens[position].text if position >= 0 else ""


def _list_declarator(part: Sequence[Token]) -> list[str]:
    """Return the words of a parameter without its default and the extents of an array."""
    default = find_top_level(part, "=")
    words = [
        token.text
        for token in (part if default < 0 else part[:default])
        if token.kind not in _BLANK
    ]
    while words and words[-1] == "]" and "[" in words:
        distance = words[::-1].index("[")
        words = words[: len(words) - 1 - distance]

    return words


def _find_name(words: Sequence[str]) -> str | None:
    """Return the name that a parameter has; `None` for one without."""
    *front, last = words
    is_word = last.isidentifier() and last not in _TYPE_WORDS
    if not is_word or not front or front[-1] == "::":
        return None
    if all(word in _LEADING_WORDS for word in front):
        return None

    return last


def _append_name(
    tokens: list[Token], position: int, part: Sequence[Token], name: str
) -> bool:
    """Put a name behind the type of a parameter; tell whether it can stand there."""
    end = find_top_level(part, "=")
    declared = part if end < 0 else part[:end]
    # `void (*)(int)` and `int (&)[4]` have theirs in the middle
    if any(mark in join_tokens(declared) for mark in "()[]"):
        return False

    last = max(
        number for number, token in enumerate(declared) if token.kind not in _BLANK
    )
    token = tokens[position + last]
    tokens[position + last] = token._replace(text=f"{token.text} {name}")
    return True
