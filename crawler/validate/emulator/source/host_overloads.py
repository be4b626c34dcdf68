"""Drop `__host__` overloads that clash with `__device__` ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.masked_source import WHITESPACE_PATTERN, MaskedSource

_SIDES: Final = ("__host__", "__device__", "__global__")
_MACRO: Final = re.compile(
    r"^[ \t]*+#[ \t]*+define[ \t]++(\w++)[ \t]++((?:\w|[ \t])++)$", re.MULTILINE
)
_MOST_MACROS: Final = 100
_EDGE: Final = re.compile(r"[;{}]")
_SPOKEN: Final = ("inline", "__forceinline__", "__inline__", "static", "constexpr")
_NAME: Final = re.compile(rf"((?<![\w~])[\w~]++|operator\s*\S+?){WHITESPACE_PATTERN}\(")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_LONGEST: Final = 4096
"""Characters of a head, with what stands in front of it."""
_NAMESPACE: Final = re.compile(r"\bnamespace\s++([\w:]++)\s*+\Z")
_LABEL: Final = re.compile(
    rf"^{WHITESPACE_PATTERN}(?:(?:public|private|protected){WHITESPACE_PATTERN}:(?!:){WHITESPACE_PATTERN})?"
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
    for_host: bool


def drop_host_overloads(source: str) -> str:
    """Return a unit's source without those functions for the host alone that there are for
    devices, too.

    Each line keeps its number.
    """
    if "__host__" not in source:
        return source
    seen = MaskedSource(source)
    found = list(_functions(seen.code, _words(source)))
    of_devices = {(each.scope, each.head) for each in found if not each.for_host}
    twins = [
        each
        for each in found
        if each.for_host and (each.scope, each.head) in of_devices
    ]
    return (
        apply_edits(source, [_emptied(source, each) for each in twins])
        if twins
        else source
    )


def _emptied(source: str, function: _Function) -> Edit:
    return (
        function.start,
        function.end,
        "\n" * source.count("\n", function.start, function.end),
    )


def _words(source: str) -> dict[str, frozenset[str]]:
    """Return for what sides the words are that say so: CUDA's own, and macros of nothing else
    than them.
    """
    words = {each: frozenset([each]) for each in _SIDES}
    for name, value in _MACRO.findall(source):
        spoken = value.split()
        sides = frozenset(spoken).intersection(_SIDES)
        if (
            sides
            and sides.union(_SPOKEN).issuperset(spoken)
            and len(words) < _MOST_MACROS
        ):
            words.setdefault(name, sides)
    return words


def _functions(code: str, words: Mapping[str, frozenset[str]]) -> Iterator[_Function]:
    """Yield the functions that are for the host alone, and those that are for devices alone."""
    of_sides = re.compile(rf"\b(?:{'|'.join(words)})\b")
    said = re.compile(rf"\b(?:{'|'.join((*words, *_SPOKEN))})\b")
    edges = [(found.start(), found[0]) for found in _EDGE.finditer(code)]
    scopes, closing = _scopes(edges, code)
    at, done = 0, -1
    for word in of_sides.finditer(code):
        while at < len(edges) and edges[at][0] < word.start():
            at += 1
        if at == len(edges):
            return
        start = edges[at - 1][0] + 1 if at else 0
        if (
            at == done
            or edges[at][0] - start > _LONGEST
            or _is_in_directive(code, word.start())
        ):
            continue
        done = at
        start += _blank(code, start, word.start())
        head = code[start : edges[at][0]]
        spoken = frozenset[str]().union(
            *(words[each] for each in of_sides.findall(head))
        )
        if len(spoken) == 1 and "__global__" not in spoken and _NAME.search(head):
            end = closing.get(at, edges[at][0]) if edges[at][1] == "{" else edges[at][0]
            tokens = tuple(_TOKEN.findall(said.sub(" ", head)))
            yield _Function(start, end + 1, scopes[at], tokens, "__host__" in spoken)


def _is_in_directive(code: str, place: int) -> bool:
    line = code.rfind("\n", 0, place) + 1
    return code[line : line + _LONGEST].lstrip(" \t").startswith("#")


def _blank(code: str, start: int, before: int) -> int:
    """Return how far blanks, directives and an access label reach in front of a declaration."""
    directive = code.rfind("\n", start, _after_directives(code, start, before))
    begin = directive + 1 if directive >= 0 else start
    found = _LABEL.match(code[begin:before])
    return begin - start + (found.end() if found else 0)


def _after_directives(code: str, start: int, before: int) -> int:
    """Return behind the line of the last directive between two places."""
    last = code.rfind("#", start, before)
    line = code.find("\n", last, before) if last >= 0 else -1
    return line + 1 if line >= 0 else start


def _scopes(
    edges: Sequence[tuple[int, str]], code: str
) -> tuple[list[str], dict[int, int]]:
    """Return in which scope each edge stands, and where each that opens is closed; a namespace
    may open many times.
    """
    scopes: list[str] = []
    closing: dict[int, int] = {}
    opened: list[tuple[int, str]] = []
    behind = 0
    for number, (place, sign) in enumerate(edges):
        if sign == "}" and opened:
            closing[opened.pop()[0]] = place
        scopes.append(opened[-1][1] if opened else "")
        if sign == "{":
            named = _NAMESPACE.search(code, max(behind, place - _LONGEST), place)
            opened.append(
                (number, f"{scopes[-1]}::{named[1]}" if named else f"{place}")
            )
        behind = place + 1
    return scopes, closing
