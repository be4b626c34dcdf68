"""Find the head, the name and the parameter list of a kernel in its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind

BLANK_KINDS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_OPENING_BRACKETS: Final = frozenset("([{")
_ANGLES: Final = {"<": 1, "<<<": 3, ">": -1, ">>>": -3}


class NoFlatText(Exception):
    """There is no such text; says why."""


def drop_template_head(tokens: list[Token]) -> list[Token]:
    """Drop `template <…>`, which stands first; raises where a macro or a constraint stands
    there.
    """
    position = next_position(tokens, -1)
    if tokens[position].text != "template":
        raise NoFlatText("made-by-macro: its template head stands in a macro")

    position = next_position(tokens, position)
    depth = 0

    while position < len(tokens):
        text = tokens[position].text
        depth += _ANGLES.get(text, 0)
        if text in _OPENING_BRACKETS:
            position = find_closing(tokens, position)
        if depth <= 0:
            break

        position += 1

    definition_start = next_position(tokens, position)
    has_definition = definition_start > position
    if not has_definition or tokens[definition_start].kind in BLANK_KINDS:
        raise NoFlatText("unbalanced: its text ends with its template head")

    definition = tokens[definition_start:]
    first_word = definition[0].text
    if first_word == "requires":
        raise NoFlatText(
            "constrained: a constraint stands between its template head and itself"
        )
    if first_word == "template":
        raise NoFlatText("member-of-template: its text belongs to its class")

    return definition


def find_name(tokens: Sequence[Token], name: str) -> int:
    """Return where the kernel's name stands in front of its parameters."""
    position = 0
    while position < len(tokens):
        text = tokens[position].text
        # the body: the name of a kernel stands before it
        if text == "{":
            break

        if text in _OPENING_BRACKETS:
            position = find_closing(tokens, position)
        elif text == name:
            following = next_position(tokens, position)
            if tokens[following].text in ("(", "<"):
                return position

        position += 1

    raise NoFlatText("made-by-macro: its name stands in a macro")


def find_parameter_list(tokens: Sequence[Token], name: int) -> int:
    """Return where the parameter list opens: a specialisation has arguments before it."""
    position = next_position(tokens, name)
    depth = 0

    while position < len(tokens):
        text = tokens[position].text
        if text == "(" and not depth:
            break
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1

        position += 1

    return position


def find_closing(tokens: Sequence[Token], opening: int) -> int:
    """Return where a bracket closes; raises where it never does."""
    closing = closing_token(tokens, opening)
    if closing < 0:
        raise NoFlatText("unbalanced: a bracket is never closed")

    return closing


def next_position(tokens: Sequence[Token], position: int) -> int:
    """Return the position of the next token that a compiler sees; the last one where there is
    none.
    """
    for following in range(position + 1, len(tokens)):
        if tokens[following].kind not in BLANK_KINDS:
            return following
    return len(tokens) - 1
