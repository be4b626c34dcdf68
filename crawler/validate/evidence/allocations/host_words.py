"""Host code as words without blanks and comments, and the calls among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize

_MAX_CALL_WORDS: Final = 300
"""Of a call that is read: a bound, since calls may be opened and never closed."""


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call by a plain name."""

    callee: str
    position: int
    """Of the name among the words."""
    end: int
    """Behind its closing bracket."""
    arguments: tuple[tuple[Token, ...], ...]


def read_host_words(text: str) -> list[Token]:
    """Return the words of a text."""
    return [
        token
        for token in tokenize(text)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]


def iter_host_calls(
    words: Sequence[Token], callees: frozenset[str]
) -> Iterator[HostCall]:
    """Yield the calls of functions that are named so, also those within other calls."""
    for position, word in enumerate(words[:-1]):
        if word.text not in callees or words[position + 1].text != "(":
            continue

        closing = closing_token(words, position + 1, position + _MAX_CALL_WORDS)
        if closing < 0:
            continue

        arguments = split_tokens(words[position + 2 : closing])
        yield HostCall(word.text, position, closing + 1, tuple(map(tuple, arguments)))


def join_words(words: Sequence[Token]) -> str:
    """Return words with blanks between them."""
    return " ".join(word.text for word in words)


def find_mentions(words: Sequence[Token], name: str, begin: int) -> list[int]:
    """Return where a variable is named from `begin` on; a member of that name is none."""
    return [
        position
        for position in range(begin, len(words))
        if words[position].text == name
        and (position == 0 or words[position - 1].text not in (".", "->"))
    ]


def is_reassigned(words: Sequence[Token], name: str, begin: int) -> bool:
    """Tell whether a variable is given another value from `begin` on: `x = y`, `x += n`, `x++`."""
    for position in find_mentions(words, name, begin):
        next_words = words[position + 1 : position + 3]
        behind = "".join(word.text for word in next_words)
        if behind.startswith(("+=", "-=", "++", "--")):
            return True
        if behind.startswith("=") and not behind.startswith("=="):
            return True

    return False
