"""The functions of a file by its tokens alone: where each begins and ends, and its qualified name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.extract.source import Lexeme, SourceText, remembered
from crawler.tokens import Kind

_SCOPES: Final = frozenset({"namespace", "struct", "class", "union", "enum"})
_ATTRIBUTES: Final = frozenset({"__launch_bounds__", "__attribute__", "alignas", "decltype", "noexcept", "declspec"})


class Function(NamedTuple):
    """A function definition; offsets in the file, the end behind its `}`."""

    start: int
    body: int
    end: int
    name: str


def enclosing(source: SourceText, offset: int) -> Function | None:
    """Return the function in whose body an offset lies."""
    found = functions(source)
    at = bisect_right(found, offset, key=lambda function: function.body) - 1
    return found[at] if at >= 0 and offset < found[at].end else None


@remembered
def functions(source: SourceText) -> tuple[Function, ...]:
    """Return the function definitions of a file in order; lambdas and local classes belong to what they stand in."""
    return tuple(_functions(source.lexemes))


def _functions(lexemes: Sequence[Lexeme]) -> Iterator[Function]:
    scopes: list[str] = []
    head: list[Lexeme] = []
    body, depth = -1, 0
    for lexeme in lexemes:
        if lexeme.directive:
            continue
        if depth:
            depth += (lexeme.text == "{") - (lexeme.text == "}")
            if depth == 0:
                yield Function(head[0].offset, body, lexeme.end, "::".join((*filter(None, scopes), _name(head))))
                head = []
        elif lexeme.text == "{" and _is_function(head):
            body, depth = lexeme.offset, 1
        elif lexeme.text in ("{", "}", ";"):
            if lexeme.text == "{":
                scopes.append(_scope(head))
            elif lexeme.text == "}":
                del scopes[-1:]
            head = []
        else:
            head.append(lexeme)


def _outside(head: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the tokens outside of angle brackets in front of the first `(` that no attribute opens."""
    found: list[Lexeme] = []
    angles = parentheses = 0
    for lexeme in head:
        angles = max(0, angles + (lexeme.text == "<") - (lexeme.text == ">"))
        if lexeme.text == "(" and not parentheses and not angles and not (found and found[-1].text in _ATTRIBUTES):
            return [*found, lexeme]
        parentheses += (lexeme.text == "(") - (lexeme.text == ")")
        if not angles and not parentheses and lexeme.text not in (">", ")"):
            found.append(lexeme)
    return found


def _is_function(head: Sequence[Lexeme]) -> bool:
    outside = _outside(head)
    called = bool(outside) and outside[-1].text == "("
    return called and not any(lexeme.text in _SCOPES or lexeme.text == "=" for lexeme in outside)


def _name(head: Sequence[Lexeme]) -> str:
    parts: list[str] = []
    for lexeme in reversed(_outside(head)[:-1]):
        if lexeme.text != "::" and parts and parts[-1] != "::":
            break
        if lexeme.kind is not Kind.NAME and lexeme.text != "::":
            break
        parts.append(lexeme.text)
    return "".join(reversed(parts))


def _scope(head: Sequence[Lexeme]) -> str:
    """Return the name that a scope gives to what stands in it; empty for an anonymous one."""
    words = [lexeme.text for lexeme in _outside(head)]
    opening = next((at for at, word in enumerate(words) if word in _SCOPES), -1)
    if opening < 0:
        return ""
    named = words[opening + 1 :]
    base = named.index(":") if ":" in named else len(named)
    return "".join(word for word in named[:base] if word not in ("final", "inline", "class", *_ATTRIBUTES))
