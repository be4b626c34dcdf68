"""Find functions whose bodies decide a type, such as `auto` functions named inside `decltype`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceText, cache_per_source

_MAX_HEAD_LENGTH: Final = 2_000
"""Characters of a function's head that are looked at."""
# raw text: one in a comment keeps a function whose body decides a type, and no more
_USING_MEMBER: Final = re.compile(
    r"\busing[ \t]+(?:typename[ \t]+)?(?:[A-Za-z_]\w*::)+([A-Za-z_]\w*)[ \t]*;"
)


class _AutoFunction(NamedTuple):
    """A function whose body decides its type, with the words in its head and in its body."""

    name: str
    head_words: frozenset[str]
    body_words: frozenset[str]


def find_names_needing_bodies(
    sources: Iterable[SourceText], device_words: Collection[str]
) -> frozenset[str]:
    """Return the names in each `decltype(…)` and member `using` of some files, and in the bodies
    of host functions that decide the types of these.

    What is for devices has one of the words `device_words` in its head.
    """
    source_list = list(sources)
    bodies: dict[str, list[frozenset[str]]] = defaultdict(list)
    pending: set[str] = set()
    for source in source_list:
        for function in _find_auto_functions(source):
            if function.head_words.isdisjoint(device_words):
                bodies[function.name].append(function.body_words)

        pending |= _find_decltype_names(source) | _find_using_members(source)

    names: set[str] = set()
    # a body that decides a type asks for the types of what it calls
    while pending:
        names |= pending
        body_names = {
            word for name in pending for body in bodies.get(name, ()) for word in body
        }

        pending = body_names - names

    return frozenset(names)


@cache_per_source
def _find_decltype_names(source: SourceText) -> frozenset[str]:
    if "decltype" not in source.raw:
        return frozenset()

    names: set[str] = set()
    for position, lexeme in enumerate(source.lexemes):
        if lexeme.text != "decltype":
            continue

        # `decltype(auto)` asks for a keyword, which no function is called
        closing = source.closing_brackets.get(position + 1)
        if closing is not None:
            names |= source.names_between(lexeme.offset, source.lexemes[closing].end)

    return frozenset(names)


@cache_per_source
def _find_using_members(source: SourceText) -> frozenset[str]:
    """Return the names that a `using Base::name;` brings along, which has to find them."""
    if "using" not in source.raw:
        return frozenset()

    return frozenset(_USING_MEMBER.findall(source.raw))


@cache_per_source
def _find_auto_functions(source: SourceText) -> tuple[_AutoFunction, ...]:
    if "auto" not in source.raw:
        return ()
    return tuple(_iter_auto_functions(source))


def _iter_auto_functions(source: SourceText) -> Iterator[_AutoFunction]:
    for function in find_functions(source):
        head_start = max(function.start, function.body_start - _MAX_HEAD_LENGTH)
        lexemes = source.lexemes_between(head_start, function.body_start)
        head_words = frozenset(lexeme.text for lexeme in lexemes)
        # `auto f() -> T` has its type in its head
        if "auto" in head_words and "->" not in head_words:
            yield _AutoFunction(
                name=function.name.rpartition("::")[2],
                head_words=head_words,
                body_words=source.names_between(function.body_start, function.end),
            )
