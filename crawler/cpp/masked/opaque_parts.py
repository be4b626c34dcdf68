"""Find the parts of a text that are no code: comments, literals, headers and messages.

One search finds them in most texts. Where only the tokenizer can tell, as in texts with raw
strings, it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.cpp.identifiers import is_word_character
from crawler.cpp.lexer import (
    HEADER_OR_MESSAGE_PATTERN,
    TokenKind,
    tokenize,
    tokenize_sequentially,
)

COMMENT_PATTERN: Final = (
    r"//[^\\\n]*+(?:\\(?:\r?\n)?[^\\\n]*+)*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
)
_QUOTED_FORMAT: Final = r"{0}[^{0}\\\n]*+(?:\\(?:\r?\n|[^\r\n])?[^{0}\\\n]*+)*+{0}?"
QUOTED_PATTERN: Final = (
    rf"{_QUOTED_FORMAT.format(chr(34))}|{_QUOTED_FORMAT.format(chr(39))}"
)
"""A string or a character without its prefix, up to the end of the line if it is not closed."""
# the lexer's alternatives for what is no code; `search_opaque_parts` gives up where they do not
# tell
_OPAQUE: Final = re.compile(
    rf"{COMMENT_PATTERN}|{QUOTED_PATTERN}|{HEADER_OR_MESSAGE_PATTERN}"
)
# one directive, in the spelling that nearly all have; the tokenizer reads the others
_PLAIN_INCLUDE: Final = re.compile(r"#[ \t]*include[ \t]*(?=[<\"])")
_LITERAL_KINDS: Final = frozenset({TokenKind.STRING, TokenKind.CHARACTER})
_MASKED_KINDS: Final = _LITERAL_KINDS | {TokenKind.HEADER, TokenKind.MESSAGE}


class OpaquePart(NamedTuple):
    """A part of a text that is no code; the prefix of a literal is not in it."""

    start: int
    end: int
    kind: TokenKind


def find_opaque_parts(text: str) -> list[OpaquePart]:
    """Return the parts of a text that are no code, in order."""
    parts = search_opaque_parts(text)
    if parts is None:
        return tokenize_opaque_parts(text)

    return parts


def search_opaque_parts(text: str) -> list[OpaquePart] | None:
    """Return the parts that are no code by one search, `None` where only the tokenizer can tell."""
    if 'R"' in text:
        return None

    parts: list[OpaquePart] = []
    for match in _OPAQUE.finditer(text):
        start, end = match.span()
        first = text[start]

        if first == "/":
            parts.append(OpaquePart(start, end, TokenKind.COMMENT))
        elif first == '"':
            parts.append(OpaquePart(start, end, TokenKind.STRING))
        elif first == "'" and not _continues_token(text, start):
            parts.append(OpaquePart(start, end, TokenKind.CHARACTER))
        elif first == "#" and _begins_line(text, start):
            parts += _iter_directive_parts(text, start, end)
        else:
            return None

    return parts


def tokenize_opaque_parts(text: str) -> list[OpaquePart]:
    """Return the parts that are no code as the tokenizer finds them: slower, right for any text."""
    return list(_iter_token_parts(text, is_one_directive=False))


def _continues_token(text: str, start: int) -> bool:
    """Tell whether what stands before a quote may be one token with it.

    It may be a number (`1'000`) or a prefix (`L'c'`).
    """
    if start == 0:
        return False

    before = text[start - 1]
    return is_word_character(before) or before == "."


def _begins_line(text: str, start: int) -> bool:
    line_start = text.rfind("\n", 0, start) + 1
    has_code_before = text[line_start:start].strip(" \t\r\f\v") != ""
    is_spliced = text.endswith(("\\\n", "\\\r\n"), 0, line_start)

    return not has_code_before and not is_spliced


def _iter_directive_parts(text: str, start: int, end: int) -> Iterator[OpaquePart]:
    plain_include = _PLAIN_INCLUDE.match(text, start, end)
    if plain_include:
        yield OpaquePart(plain_include.end(), end, TokenKind.HEADER)
        return

    for part in _iter_token_parts(text[start:end], is_one_directive=True):
        yield OpaquePart(start + part.start, start + part.end, part.kind)


def _iter_token_parts(text: str, *, is_one_directive: bool) -> Iterator[OpaquePart]:
    tokens = tokenize_sequentially(text) if is_one_directive else tokenize(text)
    start = 0

    for token in tokens:
        end = start + len(token.text)
        if token.kind is TokenKind.COMMENT:
            yield OpaquePart(start, end, token.kind)
        elif token.kind in _MASKED_KINDS:
            # what stands before the quote of a literal may as well be a name
            prefix_length = 0
            if token.kind in _LITERAL_KINDS:
                mark = "'" if token.kind is TokenKind.CHARACTER else '"'
                prefix_length = max(0, token.text.find(mark))

            yield OpaquePart(start + prefix_length, end, token.kind)

        start = end
