"""Expand macros of a launch's file in what its host code computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.lexer import Token, TokenKind, drop_blanks_and_comments, tokenize
from crawler.cpp.preprocessor.macros import find_macros

_FOREIGN_SIGNS: Final = ("#", "{", ";", "...", "__VA_ARGS__")
"""Signs of macros that are no expression: pasted names, statements, packs."""
_MAX_MACROS: Final = 200
_MAX_LENGTH: Final = 2000
"""Characters of a text, of a macro's body, and of what becomes of both: a stranger's macros may
double with each step, or name a parameter a million times.
"""
_MAX_STEPS: Final = 6
"""Macros within macros that are expanded."""


@dataclass(frozen=True, slots=True)
class HostMacro:
    """A macro with a list of parameters whose body is one expression."""

    parameters: tuple[str, ...]
    body: tuple[Token, ...]


def read_host_macros(text: str) -> dict[str, HostMacro]:
    """Return the macros of `text` that are expressions of their parameters, by name.

    One that is defined in two ways is left out: which of them holds is not known.
    """
    macros: dict[str, HostMacro] = {}
    ambiguous_names: set[str] = set()

    for macro in find_macros(SourceText("", text.encode()))[:_MAX_MACROS]:
        texts = (macro.body, *(macro.parameters or ("...",)))
        is_expression = not any(
            sign in text for sign in _FOREIGN_SIGNS for text in texts
        )
        if not is_expression or len(macro.body) > _MAX_LENGTH:
            continue

        body = _list_words(macro.body.replace("\\\n", " "))
        host_macro = HostMacro(macro.parameters or (), body)
        if _spell(macros.setdefault(macro.name, host_macro)) != _spell(host_macro):
            ambiguous_names.add(macro.name)

    return {
        name: macro for name, macro in macros.items() if name not in ambiguous_names
    }


def expand_macros(text: str, macros: Mapping[str, HostMacro]) -> str:
    """Return `text` with the bodies of `macros` in place of their uses, as a preprocessor has it.

    `BLOCKS(1, n)` becomes `(1 * n + 255) / 256` where the file says so: its name alone does not
    tell which of its arguments it counts.
    """
    if not macros or len(text) > _MAX_LENGTH:
        return text

    for _ in range(_MAX_STEPS):
        expanded = _expand_once(_list_words(text), macros)
        if expanded is None or len(expanded) > _MAX_LENGTH:
            break
        text = expanded

    return text


def _expand_once(words: Sequence[Token], macros: Mapping[str, HostMacro]) -> str | None:
    """Return the words with each outermost use replaced; `None` where there is none."""
    texts: list[str] = []
    position = 0
    has_use = False

    while position < len(words):
        macro = macros.get(words[position].text)
        is_called = position + 1 < len(words) and words[position + 1].text == "("
        closing = closing_token(words, position + 1) if macro and is_called else -1
        arguments = split_tokens(words[position + 2 : closing]) if closing > 0 else []
        if macro is None or len(arguments) != len(macro.parameters):
            texts.append(words[position].text)
            position += 1
            continue

        texts.append(_substitute(macro, arguments))
        position = closing + 1
        has_use = True

    return " ".join(texts) if has_use else None


def _substitute(macro: HostMacro, arguments: Sequence[Sequence[Token]]) -> str:
    values = {
        name: " ".join(token.text for token in argument)
        for name, argument in zip(macro.parameters, arguments, strict=True)
    }
    return " ".join(values.get(token.text, token.text) for token in macro.body)


def _list_words(text: str) -> tuple[Token, ...]:
    tokens = drop_blanks_and_comments(tokenize(text))
    return tuple(token for token in tokens if token.kind is not TokenKind.SPACE)


def _spell(macro: HostMacro) -> tuple[tuple[str, ...], list[str]]:
    return macro.parameters, [token.text for token in macro.body]
