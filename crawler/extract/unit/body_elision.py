"""Blank device function bodies that lead to no kernel, so that a parse does not pay for them.

What a unit is asked for are declarations, and uses of kernels; closures are cut from the text
as it is. Those bodies, and the templates that they instantiate, take two thirds of a compiler's
time. Every character keeps its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.brackets import depth_changes
from crawler.cpp.comments import blank
from crawler.cpp.directives import (
    CLOSING,
    OPENING,
    conditional_directives,
    directive_name,
)
from crawler.cpp.files.functions import FunctionDefinition, find_functions
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor import pragma_macros
from crawler.extract.syntax.unit_text import UnitText

_DEVICE_WORDS: Final = frozenset({"__device__", "__global__"})
_NEEDED_BODY_WORDS: Final = frozenset(
    {"__host__", "auto", "constexpr", "consteval", "decltype", "requires"}
)
"""Words in the head of a function whose body may count where it is used."""
_DEPTH_CHANGES: Final = depth_changes()
_MIN_BODY_LENGTH: Final = 40
"""Characters of a body that are worth it."""


@dataclass(frozen=True, slots=True)
class _Body:
    """What stands between the braces of a function."""

    start: int
    end: int
    head_words: frozenset[str]
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
    files: dict[str, bytes] = {}
    for path in unit_text.files:
        source = unit_text.sources[path]
        has_changes = source.has_rejoined_chevrons or pragma_macros.has_pragma_macros(
            source
        )

        if has_changes and source.is_complete:
            files[source.path] = _encode(source.raw)

    return ElidedFiles(files)


def elide_device_bodies(
    unit_text: UnitText, required_words: Collection[str]
) -> ElidedFiles:
    """Return the files without every body that holds none of the words `required_words`."""
    # a project may call `constexpr` by a macro of its own
    needed_body_words = unit_text.expand_aliases(_NEEDED_BODY_WORDS)
    files = dict(keep_all_bodies(unit_text).files)
    elided_words: set[str] = set()
    for path in unit_text.files:
        source = unit_text.sources[path]
        bodies = tuple(
            body
            for body in _find_elidable_bodies(source)
            if body.words.isdisjoint(required_words)
            and body.head_words.isdisjoint(needed_body_words)
        )

        if bodies:
            elided_words.update(*(body.words for body in bodies))
            files[path] = _blank_bodies(source, bodies)

    return ElidedFiles(files, frozenset(elided_words))


@cache_per_source
def _find_elidable_bodies(source: SourceText) -> tuple[_Body, ...]:
    """Return the bodies of functions for the device alone that nothing but their own text keeps
    in the parse.
    """
    # a cut file may end within a body
    if not source.is_complete:
        return ()
    if not any(word in source.raw for word in _DEVICE_WORDS):
        return ()

    return tuple(_iter_elidable_bodies(source))


def _iter_elidable_bodies(source: SourceText) -> Iterator[_Body]:
    for function in find_functions(source):
        if function.end - function.body_start < _MIN_BODY_LENGTH:
            continue
        # dynamic parallelism: a kernel that launches kernels
        if "<<<" in source.raw[function.body_start : function.end]:
            continue

        lexemes = source.lexemes_between(function.start, function.body_start)
        head = [lexeme.text for lexeme in lexemes]
        if not _is_elidable_head(head):
            continue

        # between the braces
        start, end = function.body_start + 1, function.end - 1
        if _has_balanced_branches(source, function):
            words = IDENTIFIER.findall(source.raw, start, end)
            yield _Body(start, end, frozenset(head), frozenset(words))


def _is_elidable_head(head: list[str]) -> bool:
    # the host calls what has `__host__`; the type of an `auto` function is in its body
    if _DEVICE_WORDS.isdisjoint(head) or not _NEEDED_BODY_WORDS.isdisjoint(head):
        return False
    # the initialisers of a constructor would stand without its body
    return ":" not in head[head.index("(") :]


def _has_balanced_branches(source: SourceText, function: FunctionDefinition) -> bool:
    """Tell whether brackets close in every branch of each `#if`, so that the body ends where it
    seems to.
    """
    start, end = function.body_start + 1, function.end - 1
    if source.raw.find("#", start, end) < 0:
        return True

    ranges = _list_directives_between(source, start, end)
    keywords = {
        directive.start: directive.keyword
        for directive in conditional_directives(source.raw, ranges)
    }

    depth = 0
    depths_at_opening: list[int] = []
    for lexeme in source.lexemes_between(start, end):
        keyword = keywords.get(lexeme.offset)
        # each branch begins, and must end, at the depth of its `#if`
        if keyword in OPENING:
            depths_at_opening.append(depth)
        elif keyword is not None:
            if depths_at_opening[-1:] != [depth]:
                return False
            if keyword == CLOSING:
                depths_at_opening.pop()
        elif not lexeme.directive:
            depth += _DEPTH_CHANGES.get(lexeme.text, 0)
            if depth < 0:
                return False

    return not depths_at_opening and not depth


@cache_per_source
def _blank_bodies(source: SourceText, bodies: tuple[_Body, ...]) -> bytes:
    """Return the file with blanks in place of bodies; directives stay, since what they define
    may be used below.
    """
    pieces: list[str] = []
    done = 0
    for body in bodies:
        pieces.append(source.raw[done : body.start])
        done = body.start
        for start, end in _list_directives_between(source, body.start, body.end):
            # `#pragma unroll` says something to the loop behind it alone
            if directive_name(source.raw, start) == "pragma":
                continue

            pieces.append(blank(source.raw[done:start]))
            pieces.append(source.raw[start:end])
            done = end

        pieces.append(blank(source.raw[done : body.end]))
        done = body.end

    pieces.append(source.raw[done:])

    return _encode("".join(pieces))


def _list_directives_between(
    source: SourceText, start: int, end: int
) -> tuple[tuple[int, int], ...]:
    ranges = find_directive_ranges(source)
    first = bisect_left(ranges, (start, 0))
    behind = bisect_left(ranges, (end, 0))

    return ranges[first:behind]


def _encode(text: str) -> bytes:
    return pragma_macros.blank_pragma_macros(text).encode("latin-1")
