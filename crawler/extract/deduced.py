"""Functions whose bodies tell a type that something asks for: `decltype(shape_of(x))` where it returns `auto`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from crawler.extract.functions import functions
from crawler.extract.source import SourceText, remembered

_LONGEST: Final = 2_000
"""Characters of a function's head that are looked at."""
_BROUGHT: Final = re.compile(r"\busing[ \t]+(?:typename[ \t]+)?(?:[A-Za-z_]\w*::)+([A-Za-z_]\w*)[ \t]*;")
_Bodies = tuple[tuple[str, frozenset[str], frozenset[str]], ...]
"""By a function's name, the words in its head and in its body."""


def asked_for(sources: Iterable[SourceText], device: Collection[str]) -> frozenset[str]:
    """Return the names in each `decltype(…)` and member `using` of some files, and in what those for the host deduce.

    What is for devices has one of the words `device` in its head.
    """
    listed = list(sources)
    bodies: dict[str, list[frozenset[str]]] = defaultdict(list)
    for source in listed:
        for name, head, body in _deducing(source):
            if head.isdisjoint(device):
                bodies[name].append(body)
    asked: set[str] = set()
    pending = {name for source in listed for name in (*_asked(source), *_brought(source))}
    while pending:
        asked |= pending
        pending = {word for name in pending for body in bodies.get(name, ()) for word in body} - asked
    return frozenset(asked)


@remembered
def _asked(source: SourceText) -> frozenset[str]:
    if "decltype" not in source.raw:
        return frozenset()
    listed = (at for at, lexeme in enumerate(source.lexemes) if lexeme.text == "decltype" and at + 1 in source.closings)
    ranges = ((source.lexemes[at].offset, source.lexemes[source.closings[at + 1]].end) for at in listed)
    return frozenset().union(*(source.words(start, end) for start, end in ranges))


@remembered
def _brought(source: SourceText) -> frozenset[str]:
    """Return the names that a `using Base::name;` brings along, which has to find them."""
    return frozenset(_BROUGHT.findall(source.raw)) if "using" in source.raw else frozenset()


@remembered
def _deducing(source: SourceText) -> _Bodies:
    return tuple(_found(source)) if "auto" in source.raw else ()


def _found(source: SourceText) -> Iterable[tuple[str, frozenset[str], frozenset[str]]]:
    for function in functions(source):
        head = [lexeme.text for lexeme in source.cut(max(function.start, function.body - _LONGEST), function.body)]
        if "auto" in head and "->" not in head:
            yield function.name.rpartition("::")[2], frozenset(head), source.words(function.body, function.end)
