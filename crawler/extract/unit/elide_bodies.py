"""Blank device function bodies that lead to no kernel, so that a parse does not pay for them.

What a unit is asked for are declarations, and uses of kernels; closures are cut from the text
as it is. Those bodies,
and the templates that they instantiate, take two thirds of a compiler's time. Every character
keeps its place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.brackets import depth_changes
from crawler.cpp.comments import blank
from crawler.cpp.directives import BRANCHING, CLOSING, OPENING
from crawler.cpp.functions import find_functions
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor import pragma_macros
from crawler.cpp.source_text import Lexeme, SourceText, cache_per_source
from crawler.cpp.structure_marks import find_directive_ranges
from crawler.extract.syntax.unit_text import UnitText

_DEVICE: Final = frozenset({"__device__", "__global__"})
_CALLED_OR_DEDUCED: Final = frozenset(
    {"__host__", "auto", "constexpr", "consteval", "decltype", "requires"}
)
"""Words in the head of a function whose body may count where it is used."""
_DEPTH_CHANGES: Final = depth_changes()
_PRAGMA: Final = re.compile(r"#\s*pragma\b")
_FEWEST: Final = 40
"""Characters of a body that are worth it."""


@dataclass(frozen=True, slots=True)
class _Body:
    start: int
    end: int
    head: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class ElidedFiles:
    """The files of a unit as its parse may see them; a file that is not among them is seen as
    it is.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    elided_words: frozenset[str] = frozenset()
    """What stands in the bodies that are left out."""


def keep_all_bodies(unit_text: UnitText) -> ElidedFiles:
    """Return the files with all that stands in them, as far as they are read otherwise than
    they are on disk.
    """
    sources = (unit_text.sources[path] for path in unit_text.files)
    mended = (
        one
        for one in sources
        if one.has_rejoined_chevrons or pragma_macros.has_pragma_macros(one)
    )
    return ElidedFiles(
        {
            one.path: pragma_macros.blank_pragma_macros(one.raw).encode("latin-1")
            for one in mended
            if one.is_complete
        }
    )


def elide_device_bodies(
    unit_text: UnitText, required_words: Collection[str]
) -> ElidedFiles:
    """Return the files without every body that holds none of the words `required_words`."""
    mattering = unit_text.expand_aliases(_CALLED_OR_DEDUCED)
    files = dict(keep_all_bodies(unit_text).files)
    words: set[str] = set()
    for path in unit_text.files:
        source = unit_text.sources[path]
        found = (
            one
            for one in _bodies(source)
            if one.words.isdisjoint(required_words) and one.head.isdisjoint(mattering)
        )
        left_out = tuple(found)
        if left_out:
            words.update(*(body.words for body in left_out))
            files[path] = _without(source, left_out)
    return ElidedFiles(files, frozenset(words))


@cache_per_source
def _bodies(source: SourceText) -> tuple[_Body, ...]:
    """Return the bodies of functions for the device alone that nothing but their own text keeps
    in the parse.
    """
    if not source.is_complete or not any(word in source.raw for word in _DEVICE):
        return ()
    return tuple(_found(source))


def _found(source: SourceText) -> Iterator[_Body]:
    for function in find_functions(source):
        if (
            function.end - function.body_start < _FEWEST
            or "<<<" in source.raw[function.body_start : function.end]
        ):
            continue
        head = [
            lexeme.text
            for lexeme in source.lexemes_between(function.start, function.body_start)
        ]
        if (
            _DEVICE.isdisjoint(head)
            or not _CALLED_OR_DEDUCED.isdisjoint(head)
            or ":" in head[head.index("(") :]
        ):
            continue
        start, end = function.body_start + 1, function.end - 1
        if source.raw.find("#", start, end) < 0 or _stands_alone(
            source.lexemes_between(start, end)
        ):
            yield _Body(
                start,
                end,
                frozenset(head),
                frozenset(IDENTIFIER.findall(source.raw, start, end)),
            )


def _stands_alone(within: Sequence[Lexeme]) -> bool:
    """Tell whether brackets close in every branch of each `#if`, so that the body ends where it
    seems to.
    """
    depth, before = 0, ""
    opened: list[int] = []
    for lexeme in within:
        if lexeme.directive:
            word = lexeme.text if before == "#" else ""
            if word in OPENING:
                opened.append(depth)
            elif (word in BRANCHING or word == CLOSING) and (
                not opened or opened[-1] != depth
            ):
                return False
            if word == CLOSING:
                opened.pop()
        else:
            depth += _DEPTH_CHANGES.get(lexeme.text, 0)
        if depth < 0:
            return False
        before = lexeme.text if lexeme.directive == "#" else ""
    return not opened and not depth


@cache_per_source
def _without(source: SourceText, left_out: tuple[_Body, ...]) -> bytes:
    """Return the file with blanks in place of bodies; directives stay, since what they define
    may be used below.
    """
    pieces, done = [], 0
    for body in left_out:
        pieces.append(source.raw[done : body.start])
        done = body.start
        for start, end in _directives(source, body):
            pieces += [blank(source.raw[done:start]), source.raw[start:end]]
            done = end
        pieces.append(blank(source.raw[done : body.end]))
        done = body.end
    return pragma_macros.blank_pragma_macros(
        "".join((*pieces, source.raw[done:]))
    ).encode("latin-1")


def _directives(source: SourceText, body: _Body) -> list[tuple[int, int]]:
    """Return the ranges of the directives in a body that say something to what stands outside
    of it.
    """
    listed = find_directive_ranges(source)
    within = listed[
        bisect_left(listed, (body.start, 0)) : bisect_left(listed, (body.end, 0))
    ]
    return [
        (start, end) for start, end in within if not _PRAGMA.match(source.raw, start)
    ]
