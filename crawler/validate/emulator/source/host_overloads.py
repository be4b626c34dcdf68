"""Drop `__host__` overloads that clash with `__device__` ones.

CUDA's compilers tell overloads apart by the side that they are for; host C++ does not, and would
see one function twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.masked.masked_source import WHITESPACE_PATTERN, MaskedSource

_SIDES: Final = ("__host__", "__device__", "__global__")
# Over masked code, not over a tree: units may not parse as CUDA, and a tree would cost seconds for
# one of megabytes, each of which asks this
_MACRO: Final = re.compile(
    r"^[ \t]*+#[ \t]*+define[ \t]++(\w++)[ \t]++((?:\w|[ \t])++)$", re.MULTILINE
)
_MAX_MACROS: Final = 100
# masked code; what stands between two edges is a head
_DECLARATION_EDGE: Final = re.compile(r"[;{}]")
_SHARED_SPECIFIERS: Final = (
    "inline",
    "__forceinline__",
    "__inline__",
    "static",
    "constexpr",
)
"""What the functions of both sides may have or not."""
# one head
_FUNCTION_NAME: Final = re.compile(
    rf"((?<![\w~])[\w~]++|operator\s*\S+?){WHITESPACE_PATTERN}\("
)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_MAX_HEAD_LENGTH: Final = 4096
"""Characters of a head, with what stands in front of it."""
# what stands in front of a brace
_NAMESPACE: Final = re.compile(r"\bnamespace\s++([\w:]++)\s*+\Z")
_ACCESS_LABEL: Final = re.compile(
    rf"^{WHITESPACE_PATTERN}(?:(?:public|private|protected){WHITESPACE_PATTERN}"
    rf":(?!:){WHITESPACE_PATTERN})?"
)


@dataclass(frozen=True, slots=True)
class _Function:
    """A function that is for one side alone, as it stands in a text."""

    start: int
    end: int
    """Behind its body, or its semicolon."""
    scope: str
    """The namespaces that it stands in, and else where the braces open."""
    head: tuple[str, ...]
    """Its tokens up to the body, without what both sides may say otherwise."""
    is_for_host: bool


class _Edge(NamedTuple):
    """A sign that a declaration begins behind, or ends with."""

    offset: int
    sign: str
    scope: str
    closing: int
    """Where a brace that opens is closed; its own offset for other signs."""


def drop_host_overloads(source: str) -> str:
    """Return a unit's source without those functions for the host alone that there are for
    devices, too.

    Each line keeps its number.
    """
    if "__host__" not in source:
        return source

    code = MaskedSource(source).code
    # a host function is dropped only where a device function has the same head in the same scope
    functions = list(_iter_functions(code, _find_side_words(code)))
    device_functions = {
        (function.scope, function.head)
        for function in functions
        if not function.is_for_host
    }

    edits = [
        _blank_function(source, function)
        for function in functions
        if function.is_for_host and (function.scope, function.head) in device_functions
    ]

    return apply_edits(source, edits) if edits else source


def _blank_function(source: str, function: _Function) -> Edit:
    line_count = source.count("\n", function.start, function.end)
    return function.start, function.end, "\n" * line_count


def _find_side_words(code: str) -> dict[str, frozenset[str]]:
    """Return for what sides the words are that say so: CUDA's own, and macros of nothing else
    than them.
    """
    sides_by_word = {side: frozenset([side]) for side in _SIDES}
    specifiers = frozenset((*_SIDES, *_SHARED_SPECIFIERS))

    for name, value in _MACRO.findall(code):
        words = frozenset(value.split())
        sides = words.intersection(_SIDES)
        if not sides or not words <= specifiers:
            continue

        if len(sides_by_word) < _MAX_MACROS:
            sides_by_word.setdefault(name, sides)

    return sides_by_word


def _iter_functions(
    code: str, sides_by_word: Mapping[str, frozenset[str]]
) -> Iterator[_Function]:
    """Yield the functions that are for the host alone, and those that are for devices alone."""
    side_word = re.compile(rf"\b(?:{'|'.join(sides_by_word)})\b")
    specifier = re.compile(
        rf"\b(?:{'|'.join((*sides_by_word, *_SHARED_SPECIFIERS))})\b"
    )
    edges = _find_edges(code)
    number = 0
    last_number = -1

    for word in side_word.finditer(code):
        while number < len(edges) and edges[number].offset < word.start():
            number += 1

        if number == len(edges):
            return

        edge = edges[number]
        start = edges[number - 1].offset + 1 if number else 0
        is_too_long = edge.offset - start > _MAX_HEAD_LENGTH
        is_read = number == last_number
        if is_read or is_too_long or _is_in_directive(code, word.start()):
            continue

        last_number = number

        start = _skip_leading_text(code, start, word.start())
        head = code[start : edge.offset]
        sides: set[str] = set()

        for head_word in side_word.findall(head):
            sides |= sides_by_word[head_word]

        # what is for both sides, or a kernel, has no counterpart
        if len(sides) != 1 or "__global__" in sides:
            continue
        if not _FUNCTION_NAME.search(head):
            continue

        yield _Function(
            start=start,
            end=edge.closing + 1,
            scope=edge.scope,
            head=tuple(_TOKEN.findall(specifier.sub(" ", head))),
            is_for_host="__host__" in sides,
        )


def _is_in_directive(code: str, offset: int) -> bool:
    line_begin = code.rfind("\n", 0, offset) + 1
    line = code[line_begin : line_begin + _MAX_HEAD_LENGTH]
    return line.lstrip(" \t").startswith("#")


def _skip_leading_text(code: str, start: int, limit: int) -> int:
    """Return where a declaration begins, behind blanks, directives and an access label."""
    behind_directives = _find_directives_end(code, start, limit)
    line_end = code.rfind("\n", start, behind_directives)
    begin = line_end + 1 if line_end >= 0 else start
    label = _ACCESS_LABEL.match(code[begin:limit])

    return begin + (label.end() if label else 0)


def _find_directives_end(code: str, start: int, limit: int) -> int:
    """Return behind the line of the last directive between two places."""
    last_directive = code.rfind("#", start, limit)
    if last_directive < 0:
        return start

    line_end = code.find("\n", last_directive, limit)

    return line_end + 1 if line_end >= 0 else start


def _find_edges(code: str) -> list[_Edge]:
    """Return the edges of declarations with the scope that each stands in; a namespace may open
    many times.
    """
    signs = [(sign.start(), sign[0]) for sign in _DECLARATION_EDGE.finditer(code)]
    scopes: list[str] = []
    closings = [offset for offset, _ in signs]
    open_braces: list[tuple[int, str]] = []
    behind_last = 0

    for number, (offset, sign) in enumerate(signs):
        if sign == "}" and open_braces:
            opening, _ = open_braces.pop()
            closings[opening] = offset

        scope = open_braces[-1][1] if open_braces else ""
        scopes.append(scope)

        if sign == "{":
            begin = max(behind_last, offset - _MAX_HEAD_LENGTH)
            namespace = _NAMESPACE.search(code, begin, offset)
            inner = f"{scope}::{namespace[1]}" if namespace else f"{offset}"
            open_braces.append((number, inner))

        behind_last = offset + 1

    return _combine_edges(signs, scopes, closings)


def _combine_edges(
    signs: Sequence[tuple[int, str]], scopes: Sequence[str], closings: Sequence[int]
) -> list[_Edge]:
    return [
        _Edge(offset, sign, scope, closing)
        for (offset, sign), scope, closing in zip(signs, scopes, closings, strict=True)
    ]
