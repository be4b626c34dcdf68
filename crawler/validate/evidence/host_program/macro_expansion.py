"""Expand macros with parameters in host code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind
from crawler.validate.evidence.host_program.host_function import (
    HostFunction,
    read_words,
)

_MAX_WORDS: Final = 20_000
"""Words that a text may have once it is expanded: its author is a stranger."""
_MAX_DEPTH: Final = 6
_PASTING: Final = frozenset({"#", "##"})


class _TooLongError(Exception):
    """An expansion has no end, or none that matters."""


def expand_macros(text: str, macros: Mapping[str, HostFunction]) -> str:
    """Return a text with macros expanded; as it is where it uses none or becomes too long."""
    if not any(name in text for name in macros):
        return text

    try:
        words = _Expansion(macros).expand(read_words(text), frozenset(), 0)
    except _TooLongError:
        return text

    return " ".join(word.text for word in words)


class _Expansion:
    def __init__(self, macros: Mapping[str, HostFunction]) -> None:
        self._macros = macros
        self._word_count = 0

    def expand(
        self, words: Sequence[Token], active_names: Set[str], depth: int
    ) -> list[Token]:
        """Return words with the macros expanded that are not being expanded already."""
        expanded: list[Token] = []
        position = 0

        while position < len(words):
            macro = self._macros.get(words[position].text)
            end = -1
            if macro and macro.name not in active_names and depth < _MAX_DEPTH:
                end = _find_use_end(words, position)

            body = (
                self._substitute(macro, words[position + 2 : end]) if end > 0 else None
            )
            if macro is None or body is None:
                expanded.append(words[position])
                position += 1
                self._count(1)
                continue

            expanded += self.expand(body, {*active_names, macro.name}, depth + 1)
            position = end + 1

        return expanded

    def _count(self, number: int) -> None:
        self._word_count += number
        if self._word_count > _MAX_WORDS:
            raise _TooLongError

    def _substitute(
        self, macro: HostFunction | None, content: Sequence[Token]
    ) -> list[Token] | None:
        """Return a macro's body with its arguments; `None` for one that pastes words."""
        if macro is None or any(word.text in _PASTING for word in macro.body):
            return None

        arguments = dict(_bind_arguments(macro, content))
        if len(arguments) != len(macro.parameters):
            return None

        body: list[Token] = []
        for word in macro.body:
            is_name = word.kind is TokenKind.NAME
            replacement = arguments.get(word.text) if is_name else None
            body += [word] if replacement is None else replacement
            self._count(1 if replacement is None else len(replacement))

        return body


def _find_use_end(words: Sequence[Token], position: int) -> int:
    """Return where the bracket closes that opens behind a name, or -1."""
    if position + 1 >= len(words) or words[position + 1].text != "(":
        return -1
    return closing_token(words, position + 1)


def _bind_arguments(
    macro: HostFunction, content: Sequence[Token]
) -> Iterator[tuple[str, list[Token]]]:
    """Yield parameters with their arguments, as many as there are of both."""
    parts = split_tokens(content)
    count = len(macro.parameters)
    if macro.is_variadic and len(parts) >= count:
        rest: list[Token] = []
        for number, part in enumerate(parts[count - 1 :]):
            if number:
                rest.append(Token(TokenKind.PUNCTUATION, ",", 0))
            rest += part
        parts = [*parts[: count - 1], rest]

    if len(parts) == count:
        for parameter, part in zip(macro.parameters, parts, strict=True):
            yield parameter.name, part
