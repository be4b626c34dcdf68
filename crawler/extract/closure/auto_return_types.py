"""Find functions whose bodies decide a type, such as `auto` functions named inside `decltype`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from crawler.cpp.functions import find_functions
from crawler.cpp.source_text import SourceText, cache_per_source

_LONGEST: Final = 2_000
"""Characters of a function's head that are looked at."""
_BROUGHT: Final = re.compile(
    r"\busing[ \t]+(?:typename[ \t]+)?(?:[A-Za-z_]\w*::)+([A-Za-z_]\w*)[ \t]*;"
)
_Bodies = tuple[tuple[str, frozenset[str], frozenset[str]], ...]
"""By a function's name, the words in its head and in its body."""


def find_names_needing_bodies(
    sources: Iterable[SourceText], device_words: Collection[str]
) -> frozenset[str]:
    """Return the names in each `decltype(…)` and member `using` of some files, and in what
    those for the host deduce.

    What is for devices has one of the words `device_words` in its head.
    """
    listed = list(sources)
    bodies: dict[str, list[frozenset[str]]] = defaultdict(list)
    for source in listed:
        for name, head, body in _deducing(source):
            if head.isdisjoint(device_words):
                bodies[name].append(body)
    asked: set[str] = set()
    pending = {
        name for source in listed for name in (*_asked(source), *_brought(source))
    }
    while pending:
        asked |= pending
        pending = {
            word for name in pending for body in bodies.get(name, ()) for word in body
        } - asked
    return frozenset(asked)


@cache_per_source
def _asked(source: SourceText) -> frozenset[str]:
    if "decltype" not in source.raw:
        return frozenset()
    listed = (
        at
        for at, lexeme in enumerate(source.lexemes)
        if lexeme.text == "decltype" and at + 1 in source.closing_brackets
    )
    ranges = (
        (source.lexemes[at].offset, source.lexemes[source.closing_brackets[at + 1]].end)
        for at in listed
    )
    return frozenset().union(
        *(source.names_between(start, end) for start, end in ranges)
    )


@cache_per_source
def _brought(source: SourceText) -> frozenset[str]:
    """Return the names that a `using Base::name;` brings along, which has to find them."""
    return (
        frozenset(_BROUGHT.findall(source.raw))
        if "using" in source.raw
        else frozenset()
    )


@cache_per_source
def _deducing(source: SourceText) -> _Bodies:
    return tuple(_found(source)) if "auto" in source.raw else ()


def _found(source: SourceText) -> Iterable[tuple[str, frozenset[str], frozenset[str]]]:
    for function in find_functions(source):
        head = [
            lexeme.text
            for lexeme in source.lexemes_between(
                max(function.start, function.body_start - _LONGEST), function.body_start
            )
        ]
        if "auto" in head and "->" not in head:
            yield (
                function.name.rpartition("::")[2],
                frozenset(head),
                source.names_between(function.body_start, function.end),
            )
