"""Find the string literals of Python and C++ sources that hold some word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.literals.literal_text import (
    LiteralPart,
    PlaceholderPart,
    StringLiteral,
    read_literal,
)

__all__ = ["StringLiteral", "find_cpp_literals", "find_python_literals"]

# Every alternative is linear: what is never closed runs to the end of its line or of the text.
# Python's own tokenizer raises on sources that are broken or of another version.
_PYTHON_TOKEN: Final = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<string>[rRbBuUfFtT]{0,2}(?:\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)
        |"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))
    | (?P<newline>\n)
    | (?P<space>[ \t\r\f\v]+|\\\r?\n)
    | (?P<name>\w+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# of a token that is a literal: its prefix and its quote
_PYTHON_OPENING: Final = re.compile(r"(?P<prefix>\w*)(?P<quote>\"{3}|'{3}|[\"'])")
_CPP_RAW_OPENING: Final = re.compile(r'\w*R"(?P<delimiter>[^()\\\s"]{0,16})\(')
_OPENING_BRACKETS: Final = ("(", "[", "{")
_CLOSING_BRACKETS: Final = (")", "]", "}")
_ENDS_OF_SUM: Final = (",", "=", ":", "\n", ";")
_MAX_SUMMAND_TOKENS: Final = 60
"""Tokens that are looked through between two literals that may be added up."""


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def find_python_literals(source: str, word: str) -> Iterator[StringLiteral]:
    """Yield the literals of a Python source that hold `word`, but for documentation.

    Documentation is a statement that is nothing but a string.
    """
    tokens = list(_iter_python_tokens(source))
    index = 0

    while index < len(tokens):
        if tokens[index].kind != "string":
            index += 1
            continue

        summands, next_index = _read_sum(tokens, index)
        holds_word = any(word in summand.text for summand in summands)

        if holds_word and not _is_statement(tokens, index, next_index):
            parts = [_measure_summand(summand) for summand in summands]
            yield read_literal(source, parts)

        index = next_index


def find_cpp_literals(source: str, word: str) -> Iterator[StringLiteral]:
    """Yield the literals of C, C++ and their dialects that hold `word`.

    Literals side by side are one.
    """
    offset = 0
    group: list[_Token] = []

    for token in tokenize(source):
        if token.kind is TokenKind.STRING:
            group.append(_Token("string", token.text, offset))
        elif token.kind not in (TokenKind.SPACE, TokenKind.COMMENT) and group:
            yield from _read_cpp_group(source, group, word)
            group = []

        offset += len(token.text)

    yield from _read_cpp_group(source, group, word)


def _read_cpp_group(
    source: str, group: Sequence[_Token], word: str
) -> Iterator[StringLiteral]:
    if any(word in token.text for token in group):
        parts = [_measure_cpp_literal(token) for token in group]
        yield read_literal(source, parts)


def _iter_python_tokens(source: str) -> Iterator[_Token]:
    """Yield Python's tokens without blanks and comments.

    Line ends are among them only where they end a statement.
    """
    depth = 0
    for match in _PYTHON_TOKEN.finditer(source):
        kind = str(match.lastgroup)
        text = match[0]

        if text in _OPENING_BRACKETS:
            depth += 1
        elif text in _CLOSING_BRACKETS:
            depth = max(0, depth - 1)

        if kind in ("comment", "space"):
            continue
        if kind == "newline" and depth:
            continue

        yield _Token(kind, text, match.start())


def _read_sum(
    tokens: Sequence[_Token], index: int
) -> tuple[list[_Token | PlaceholderPart], int]:
    """Return the literals that are one text from `index` on, and the position behind the last.

    They stand side by side, or are added up; what is added between them is a placeholder.
    """
    summands: list[_Token | PlaceholderPart] = [tokens[index]]
    next_index = index + 1

    while next_index < len(tokens):
        if tokens[next_index].kind != "string":
            # `"a" + name + "b"` is one text with a hole
            literal_index = _skip_summands(tokens, next_index)
            if literal_index < 0:
                break

            between = tokens[next_index + 1 : literal_index - 1]
            if literal_index > next_index + 1:
                text = " ".join(token.text for token in between)
                start = tokens[next_index + 1].start
                summands.append(PlaceholderPart(f"{{{text}}}", start))

            next_index = literal_index

        summands.append(tokens[next_index])
        next_index += 1

    return summands, next_index


def _skip_summands(tokens: Sequence[_Token], index: int) -> int:
    """Return the position of the literal that is added to what stands before `index`, or -1.

    Other summands may stand between: `"a" + str(1 + n) + "b"`.
    """
    if tokens[index].text != "+":
        return -1

    depth = 0
    last = min(len(tokens), index + _MAX_SUMMAND_TOKENS)

    for position in range(index + 1, last):
        text = tokens[position].text
        if tokens[position].kind == "string" and depth == 0:
            return position if tokens[position - 1].text == "+" else -1

        # a comma or a line end outside of brackets ends the sum
        depth += (text in _OPENING_BRACKETS) - (text in _CLOSING_BRACKETS)
        if depth < 0 or (depth == 0 and text in _ENDS_OF_SUM):
            return -1

    return -1


def _is_statement(tokens: Sequence[_Token], index: int, next_index: int) -> bool:
    # a statement that is a string alone documents what it stands in
    begins_line = index == 0 or tokens[index - 1].kind == "newline"
    ends_line = next_index == len(tokens) or tokens[next_index].kind == "newline"
    return begins_line and ends_line


def _measure_summand(
    summand: _Token | PlaceholderPart,
) -> LiteralPart | PlaceholderPart:
    if isinstance(summand, PlaceholderPart):
        return summand

    return _measure_python_literal(summand)


def _measure_python_literal(token: _Token) -> LiteralPart:
    opening = _PYTHON_OPENING.match(token.text)
    assert opening is not None
    prefix = opening["prefix"].lower()
    quote = opening["quote"]

    end = len(token.text)

    # a literal that is never closed has no quote at its end; its opening one may be its last
    if end >= opening.end() + len(quote) and token.text.endswith(quote):
        end -= len(quote)

    return LiteralPart(
        start=token.start + opening.end(),
        end=token.start + end,
        is_raw="r" in prefix,
        is_formatted="f" in prefix or "t" in prefix,
    )


def _measure_cpp_literal(token: _Token) -> LiteralPart:
    raw_opening = _CPP_RAW_OPENING.match(token.text)
    if raw_opening:
        closing = f'){raw_opening["delimiter"]}"'
        end = len(token.text)

        if token.text.endswith(closing):
            end -= len(closing)

        return LiteralPart(
            start=token.start + raw_opening.end(),
            end=token.start + max(raw_opening.end(), end),
            is_raw=True,
            is_formatted=False,
        )

    begin = token.text.find('"') + 1
    end = len(token.text)

    if end > begin and token.text.endswith('"'):
        end -= 1

    return LiteralPart(
        start=token.start + begin,
        end=token.start + end,
        is_raw=False,
        is_formatted=False,
    )
