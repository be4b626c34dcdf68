"""Find function definitions by tokens: range, body and qualified name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crawler.cpp.directive_ranges import find_structure_marks
from crawler.cpp.lexer import TokenKind
from crawler.cpp.skim import DIRECTIVE
from crawler.cpp.source_text import Lexeme, SourceText, cache_per_source

_SCOPES: Final = frozenset({"namespace", "struct", "class", "union", "enum"})
_ATTRIBUTES: Final = frozenset(
    {
        "__launch_bounds__",
        "__attribute__",
        "alignas",
        "decltype",
        "noexcept",
        "declspec",
    }
)


class FunctionDefinition(NamedTuple):
    """A function definition; offsets in the file, the end behind its `}`."""

    start: int
    body_start: int
    end: int
    name: str


def find_enclosing_function(
    source: SourceText, offset: int
) -> FunctionDefinition | None:
    """Return the function in whose body an offset lies."""
    found = find_functions(source)
    at = bisect_right(found, offset, key=lambda function: function.body_start) - 1
    return found[at] if at >= 0 and offset < found[at].end else None


@cache_per_source
def find_functions(source: SourceText) -> tuple[FunctionDefinition, ...]:
    """Return the function definitions of a file in order; lambdas and local classes belong to
    what they stand in.
    """
    return tuple(_functions(source))


def _functions(source: SourceText) -> Iterator[FunctionDefinition]:
    scopes: list[str] = []
    head = _Head(source, [])
    body, depth = -1, 0
    for sign in find_structure_marks(source):
        if sign.text == DIRECTIVE:
            if not depth:
                head.gaps.append((sign.start, sign.end))
        elif depth:
            depth += (sign.text == "{") - (sign.text == "}")
            if depth == 0:
                lexemes = head.lexemes(body)
                yield FunctionDefinition(
                    lexemes[0].offset,
                    body,
                    sign.end,
                    "::".join((*filter(None, scopes), _name(lexemes))),
                )
                head = _Head(source, [(0, sign.end)])
        elif sign.text == "{" and _is_function(head.lexemes(sign.start)):
            body, depth = sign.start, 1
        else:
            if sign.text == "{":
                scopes.append(_scope(head.lexemes(sign.start)))
            elif sign.text == "}":
                del scopes[-1:]
            head = _Head(source, [(0, sign.end)])


class _Head(NamedTuple):
    """What stands in front of a brace."""

    source: SourceText
    gaps: list[tuple[int, int]]
    """Ranges that are not part of it: all behind the last one's end is, up to the brace."""

    def lexemes(self, end: int) -> list[Lexeme]:
        starts = [0, *(behind for _, behind in self.gaps)]
        ends = [*(start for start, _ in self.gaps), end]
        ranges = [
            (start, stop)
            for start, stop in zip(starts, ends, strict=True)
            if start < stop <= end
        ]
        return [
            lexeme
            for start, stop in ranges
            for lexeme in self.source.lexemes_between(start, stop)
        ]


def _outside(head: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the tokens outside of angle brackets in front of the first `(` that no attribute
    opens.
    """
    found: list[Lexeme] = []
    angles = parentheses = 0
    for lexeme in head:
        angles = max(0, angles + (lexeme.text == "<") - (lexeme.text == ">"))
        if (
            lexeme.text == "("
            and not parentheses
            and not angles
            and not (found and found[-1].text in _ATTRIBUTES)
        ):
            return [*found, lexeme]
        parentheses += (lexeme.text == "(") - (lexeme.text == ")")
        if not angles and not parentheses and lexeme.text not in (">", ")"):
            found.append(lexeme)
    return found


def _is_function(head: Sequence[Lexeme]) -> bool:
    outside = _outside(head)
    called = bool(outside) and outside[-1].text == "("
    return called and not any(
        lexeme.text in _SCOPES or lexeme.text == "=" for lexeme in outside
    )


def _name(head: Sequence[Lexeme]) -> str:
    parts: list[str] = []
    for lexeme in reversed(_outside(head)[:-1]):
        if lexeme.text != "::" and parts and parts[-1] != "::":
            break
        if lexeme.kind is not TokenKind.NAME and lexeme.text != "::":
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
    return "".join(
        word
        for word in named[:base]
        if word not in ("final", "inline", "class", *_ATTRIBUTES)
    )
