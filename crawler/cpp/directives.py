"""Preprocessor directives and the conditionals that `#if` to `#endif` make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from crawler.cpp.brackets import TokenLike
from crawler.cpp.comments import blank
from crawler.cpp.lexer import (
    LINE_GAPS,
    TokenKind,
    drop_blanks_and_comments,
    ends_line,
    tokenize,
)

OPENING: Final = frozenset({"if", "ifdef", "ifndef"})
"""Directives that open a conditional."""
BRANCHING: Final = frozenset({"else", "elif", "elifdef", "elifndef"})
"""Directives that begin another branch of one."""
CLOSING: Final = "endif"

LINE_SPLICE: Final = re.compile(r"\\\r?\n")
"""A line end behind a backslash, which ends no directive."""

DIRECTIVE_LINES: Final = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
"""A directive with the lines that backslashes add to it, in a text without comments.

It is for texts that are looked through once; of a source `structure_marks` knows each place.
"""

_CONDITIONALS: Final = OPENING | BRANCHING | {CLOSING}
# the lexer's own gaps; of the tokens behind a name, which may be many, none is cut
_NAME: Final = re.compile(rf"\#{LINE_GAPS}(\w+)")
_Token = TypeVar("_Token", bound=TokenLike)


class Directive(NamedTuple):
    """A directive of a conditional in raw text."""

    keyword: str
    start: int
    """Offset of its `#`."""
    condition: int
    """Offset behind its keyword."""
    end: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """An `#if` with its branches."""

    directives: tuple[Directive, ...]
    """From `#if` to `#endif`; without the latter where it is never closed."""
    is_closed: bool = False

    @property
    def start(self) -> int:
        """Where its `#if` begins."""
        return self.directives[0].start

    @property
    def end(self) -> int:
        """Where its last directive ends."""
        return self.directives[-1].end


def directive_name(text: str, start: int) -> str:
    """Return the name of the directive whose `#` stands at `start` of raw text.

    Of `#/* once */pragma` it is `pragma`; empty where there is none.
    """
    name = _NAME.match(text, start)
    return name[1] if name else ""


def directive_words(text: str, start: int, end: int) -> list[str]:
    """Return the texts of the tokens of a directive behind its `#`.

    Of `#pragma once // in this file` these are `pragma` and `once`.
    """
    tokens = drop_blanks_and_comments(tokenize(text[start:end]))
    return [token.text for token in tokens[1:]]


def without_directives(text: str) -> str:
    """Return a text without comments with nothing in place of its directives."""
    return DIRECTIVE_LINES.sub("", text)


def blank_directives(text: str) -> str:
    """Return a text without comments with each directive blanked in place."""
    return DIRECTIVE_LINES.sub(lambda directive: blank(directive[0]), text)


def conditional_directives(
    text: str, directives: Iterable[tuple[int, int]]
) -> Iterator[Directive]:
    """Yield those directives, given by their ranges in raw text, that belong to conditionals."""
    for start, end in directives:
        name = _NAME.match(text, start, end)
        if name is None or name[1] not in _CONDITIONALS:
            continue

        yield Directive(
            keyword=name[1],
            start=start,
            condition=name.end(),
            end=end,
        )


def conditionals(directives: Iterable[Directive]) -> Iterator[Conditional]:
    """Yield the conditionals that directives make, inner ones before those round them.

    Those that are never closed come last, the outermost first: with the directives above some
    place these are the conditionals that the place stands in. An `#else` or `#endif` without its
    `#if` counts for nothing.
    """
    open_conditionals: list[list[Directive]] = []
    for directive in directives:
        if directive.keyword in OPENING:
            open_conditionals.append([directive])
            continue

        if not open_conditionals:
            continue

        open_conditionals[-1].append(directive)
        if directive.keyword == CLOSING:
            members = open_conditionals.pop()
            yield Conditional(tuple(members), is_closed=True)

    for members in open_conditionals:
        yield Conditional(tuple(members))


def with_directives(tokens: Iterable[_Token]) -> Iterator[tuple[_Token, str]]:
    """Yield each token with the name of the directive that it stands in, empty in plain code.

    Of `#define A` and `int b;` below it, `define` and `A` stand in `define`, `int` in none.
    """
    directive = ""
    at_line_start = True

    for token in tokens:
        if token.kind is TokenKind.SPACE:
            if ends_line(token.text):
                directive = ""
                at_line_start = True
        elif token.kind is not TokenKind.COMMENT:
            if token.text == "#" and at_line_start:
                directive = "#"
            elif directive == "#":
                directive = token.text

            at_line_start = False

        yield token, directive
