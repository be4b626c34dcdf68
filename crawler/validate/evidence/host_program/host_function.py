"""A function of host code or a function-like macro, as words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.arguments import find_top_level, split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, tokenize

Words = Sequence[Token]
_NO_NAMES: Final = frozenset({"const", "volatile", "restrict", "__restrict__"})
_CONTROL_WORDS: Final = frozenset({"if", "for", "while", "switch", "return", "sizeof"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HostParameter:
    """A parameter of a function."""

    name: str
    is_reference: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFunction:
    """A function with a body, or a macro with parameters."""

    name: str
    """Qualified as it is written: `Buffer::get`."""
    parameters: tuple[HostParameter, ...]
    body: tuple[Token, ...]
    """Without its braces."""
    template_parameters: tuple[str, ...] = ()
    initialisers: tuple[Token, ...] = ()
    """What stands between a constructor's parameters and its body."""
    is_variadic: bool = False


def read_words(text: str) -> list[Token]:
    """Return the words of a text without blanks, comments and spliced lines."""
    return [
        token
        for token in tokenize(text)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]


def read_macro(text: str) -> HostFunction | None:
    """Return the macro that a directive defines; `None` for one without parameters."""
    define = text.partition("define")[2].lstrip()
    name_end = 0
    while name_end < len(define) and (
        define[name_end].isalnum() or define[name_end] == "_"
    ):
        name_end += 1

    # of `#define N (4)` the bracket is its value
    if define[name_end : name_end + 1] != "(":
        return None

    words = read_words(define)
    closing = closing_token(words, 1)
    if closing < 0:
        return None

    names = [word.text for word in words[2:closing] if word.text != ","]
    is_variadic = names[-3:] == [".", ".", "."]
    if is_variadic:
        names[-3:] = ["__VA_ARGS__"]

    return HostFunction(
        name=words[0].text,
        parameters=tuple(HostParameter(name=name) for name in names),
        body=tuple(words[closing + 1 :]),
        is_variadic=is_variadic,
    )


def read_function(text: str) -> HostFunction | None:
    """Return the function that a text defines; `None` where it cannot be read."""
    words = read_words(text)
    template_parameters: tuple[str, ...] = ()
    begin = 0

    if words and words[0].text == "template":
        begin = _find_template_end(words)
        template_parameters = _read_template_parameters(words[2 : begin - 1])

    opening = _find_parameter_list(words, begin)
    closing = closing_token(words, opening) if opening > 0 else -1
    body_begin = _find_body(words, closing) if closing > 0 else -1
    if body_begin < 0:
        return None

    body_end = closing_token(words, body_begin)
    parameters = [
        parameter
        for part in split_tokens(words[opening + 1 : closing], angles=True)
        if (parameter := _read_parameter(part)) is not None
    ]

    return HostFunction(
        name=_read_name(words, opening),
        parameters=tuple(parameters),
        body=tuple(words[body_begin + 1 : body_end]),
        template_parameters=template_parameters,
        initialisers=tuple(words[closing + 1 : body_begin]),
    )


def _find_template_end(words: Words) -> int:
    """Return the position behind the `>` that closes `template <…>`."""
    depth = 0
    for position, word in enumerate(words):
        depth += (word.text == "<") - (word.text == ">")
        if word.text == ">" and depth == 0:
            return position + 1

    return 0


def _read_template_parameters(words: Words) -> tuple[str, ...]:
    names: list[str] = []
    for part in split_tokens(words, angles=True):
        equals = find_top_level(part, "=")
        declared = part[:equals] if equals >= 0 else part
        if declared:
            names.append(declared[-1].text)

    return tuple(names)


def _find_parameter_list(words: Words, begin: int) -> int:
    """Return the position of the bracket behind a function's name, or -1."""
    for position in range(begin + 1, len(words)):
        before = words[position - 1]
        if words[position].text == "{":
            return -1
        if words[position].text != "(" or before.kind is not TokenKind.NAME:
            continue
        # `__attribute__((…))` and the like are called no function
        if before.text not in _CONTROL_WORDS and not before.text.startswith("__"):
            return position

    return -1


def _find_body(words: Words, closing: int) -> int:
    """Return the position of the brace that opens the body behind the parameters, or -1.

    A member of a constructor's list may have braces of its own: `: n{5} {`.
    """
    is_list = words[closing + 1 : closing + 2] and words[closing + 1].text == ":"
    position = closing + 1

    while position < len(words):
        text = words[position].text
        if text == ";":
            return -1
        if text == "{":
            is_member = is_list and words[position - 1].kind is TokenKind.NAME
            end = closing_token(words, position)
            if end < 0:
                return -1
            if not is_member:
                return position
            position = end
        elif text == "(":
            position = closing_token(words, position)
            if position < 0:
                return -1
        position += 1

    return -1


def _read_name(words: Words, opening: int) -> str:
    """Return the name in front of a bracket, with the classes that qualify it."""
    parts = [words[opening - 1].text]
    position = opening - 2

    while position > 0 and words[position].text == "::":
        position -= 1
        # template arguments of the class say nothing of its name
        if words[position].text == ">":
            while position > 0 and words[position].text != "<":
                position -= 1
            position -= 1
        parts.append(words[position].text)
        position -= 1

    return "::".join(reversed(parts))


def _read_parameter(words: Words) -> HostParameter | None:
    equals = find_top_level(words, "=")
    declared = list(words[:equals] if equals >= 0 else words)
    while declared and declared[-1].text == "]":
        opening = max(
            position for position, word in enumerate(declared) if word.text == "["
        )
        del declared[opening:]

    if not declared or [word.text for word in declared] == ["void"]:
        return None

    name = declared[-1]
    is_named = len(declared) > 1 and name.kind is TokenKind.NAME
    return HostParameter(
        name=name.text if is_named and name.text not in _NO_NAMES else "",
        is_reference=any(word.text == "&" for word in declared),
    )
