"""Ranges that differ between the host and the device pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from crawler.cpp.directives import conditional_directives, conditionals
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.source_text import SourceFiles, SourceText, cache_per_source
from crawler.cpp.structure_marks import find_directive_ranges


@dataclass(frozen=True, slots=True)
class _Guard:
    """An `#if` with its branches, and the names that any of their conditions holds."""

    start: int
    end: int
    words: frozenset[str]


class HostDeviceGuards:
    """The conditions in some files that what `beginnings` name, or what stands under them
    defines, may decide.
    """

    def __init__(
        self, sources: SourceFiles, files: Collection[str], prefixes: tuple[str, ...]
    ) -> None:
        self._guards = {path: _guards(sources[path]) for path in files}
        listed = [
            (path, guard) for path, guards in self._guards.items() for guard in guards
        ]
        self._deciding = {
            word
            for _, guard in listed
            for word in guard.words
            if word.startswith(prefixes)
        }
        while True:
            more = {
                name
                for path, one in listed
                if self._decides(one)
                for name in _defined(sources[path], one)
            }
            if more <= self._deciding:
                break
            self._deciding |= more

    def is_guarded(self, path: str, start: int, end: int) -> bool:
        """Tell whether a range stands under such a condition."""
        within = (
            one
            for one in self._guards.get(path, ())
            if one.start <= start and end <= one.end
        )
        return any(self._decides(one) for one in within)

    def _decides(self, guard: _Guard) -> bool:
        return not self._deciding.isdisjoint(guard.words)


@cache_per_source
def _guards(source: SourceText) -> tuple[_Guard, ...]:
    return tuple(_found(source))


def _found(source: SourceText) -> Iterator[_Guard]:
    for one in conditionals(
        conditional_directives(source.raw, find_directive_ranges(source))
    ):
        if one.is_closed:
            conditions = (
                IDENTIFIER.findall(source.raw, each.condition, each.end)
                for each in one.directives
            )
            yield _Guard(one.start, one.end, frozenset(chain.from_iterable(conditions)))


def _defined(source: SourceText, guard: _Guard) -> Iterator[str]:
    return (
        macro.name
        for macro in find_macros(source)
        if guard.start <= macro.name_offset < guard.end
    )
