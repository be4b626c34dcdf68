"""Splitting lists of arguments, parameters or declarators at their top-level commas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from crawler.cpp.brackets import TokenLike, depth_changes
from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.cpp.lexer import TokenKind

INNERMOST_ANGLES: Final = re.compile(r"<[^<>]*>")
"""Template arguments without any of their own, in a text that is one name or one head."""
_DEPTH_CHANGES: Final = depth_changes()
# the `>` of `->` closes nothing
_TEMPLATE_MARK: Final = re.compile(r"[(\[{)\]},<]|(?<!-)>")
_OPENING: Final = "<([{"
_Token = TypeVar("_Token", bound=TokenLike)


def split_tokens(
    tokens: Sequence[_Token], *, angles: bool = False
) -> list[list[_Token]]:
    """Return the tokens between top-level commas, empty parts included.

    With `angles`, a `<` behind a name opens template arguments: `f<a, b>(c), d` has two parts.
    Without, three.
    """
    parts: list[list[_Token]] = [[]]
    depth = 0
    open_angles = 0

    for token in tokens:
        text = token.text
        depth += _DEPTH_CHANGES.get(text, 0)

        # within brackets `<` may be a comparison: `f((a < b), c)`
        if angles and depth == 0:
            if text == "<" and parts[-1] and parts[-1][-1].kind is TokenKind.NAME:
                open_angles += 1
            elif text == ">" and open_angles:
                open_angles -= 1

        if text == "," and depth == 0 and open_angles == 0:
            parts.append([])
        else:
            parts[-1].append(token)

    return parts


def split_argument_texts(
    source: SourceText, lexemes: Sequence[Lexeme]
) -> tuple[str, ...]:
    """Return the texts between top-level commas as they stand in the file, without empty ones.

    A `<` behind a name opens template arguments, as for `split_tokens` with `angles`.
    """
    texts: list[str] = []
    for part in split_tokens(lexemes, angles=True):
        if not part:
            continue

        text = source.text_between(part[0].offset, part[-1].end)
        texts.append(text.strip())

    return tuple(texts)


def split_words(words: Sequence[str], separator: str = ",") -> list[list[str]]:
    """Return the words between those separators that stand in no bracket, empty parts included."""
    parts: list[list[str]] = [[]]
    depth = 0

    for word in words:
        depth += _DEPTH_CHANGES.get(word, 0)
        if word == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)

    return parts


def find_top_level(tokens: Sequence[TokenLike], text: str) -> int:
    """Return the position of the first token of that text that stands in no bracket, or -1."""
    depth = 0
    for position, token in enumerate(tokens):
        if depth == 0 and token.text == text:
            return position

        depth += _DEPTH_CHANGES.get(token.text, 0)

    return -1


def split_code(code: str) -> list[str]:
    """Return the parts of blanked code between top-level commas, whatever stands in angles.

    Empty parts are included: `f(a, b), , c` has three.
    """
    parts: list[str] = []
    depth = 0
    begin = 0

    for position, character in enumerate(code):
        if character == "," and depth == 0:
            parts.append(code[begin:position].strip())
            begin = position + 1
        else:
            depth += _DEPTH_CHANGES.get(character, 0)

    last_part = code[begin:].strip()
    return [*parts, last_part]


def split_at_top_level_commas(text: str) -> list[str]:
    """Return the same as `split_code`, without empty parts."""
    return [part for part in split_code(text) if part]


def split_template_arguments(code: str) -> list[str]:
    """Return template arguments, or parameters, between the top-level commas of their list.

    Within round brackets `<` and `>` may be comparisons: `(a > b), C<d, e>` has two parts. A
    bracket that was never opened ends the list; what stands behind it belongs to the last part.
    """
    parts: list[str] = []
    begin = 0

    for position, depth in _iter_template_marks(code, 0, len(code)):
        if code[position] == "," and depth == 0:
            parts.append(code[begin:position].strip())
            begin = position + 1

    last_part = code[begin:].strip()
    return [*parts, last_part]


def end_of_template_arguments(code: str, inside: int, end: int) -> int:
    """Return the offset behind the `>` that closes a list, or -1 where none before `end` does.

    `inside` is where the list begins, behind its `<`.
    """
    for position, depth in _iter_template_marks(code, inside, end):
        if depth < 0:
            return position + 1

    return -1


def _iter_template_marks(code: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the offset of each bracket and comma with the depth behind it; -1 ends the list."""
    open_brackets: list[str] = []
    for mark in _TEMPLATE_MARK.finditer(code, begin, end):
        sign = mark[0]
        is_comparison = sign in "<>" and open_brackets[-1:] not in ([], ["<"])

        if sign != "," and not is_comparison:
            if sign in _OPENING:
                open_brackets.append(sign)
            elif not open_brackets:
                yield mark.start(), -1
                return
            else:
                open_brackets.pop()

        yield mark.start(), len(open_brackets)
