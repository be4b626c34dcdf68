"""Ranges that differ between the host and the device pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from crawler.cpp.directives import conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceFiles, SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import find_macros


@dataclass(frozen=True, slots=True)
class _Guard:
    """An `#if` with its branches, and the names that any of their conditions holds."""

    start: int
    end: int
    words: frozenset[str]


class HostDeviceGuards:
    """The conditionals in some files whose conditions depend on the pass.

    They name a macro that begins with one of `prefixes`, or one that is defined under such a
    condition.
    """

    def __init__(
        self, sources: SourceFiles, files: Collection[str], prefixes: tuple[str, ...]
    ) -> None:
        self._guards_by_path = {path: _list_guards(sources[path]) for path in files}
        self._deciding_words: set[str] = set()

        for guards in self._guards_by_path.values():
            for guard in guards:
                words = [word for word in guard.words if word.startswith(prefixes)]
                self._deciding_words.update(words)

        # what deciding conditions define decides further ones
        while True:
            defined_words = self._collect_defined_words(sources)
            if defined_words <= self._deciding_words:
                break
            self._deciding_words |= defined_words

    def is_guarded(self, path: str, start: int, end: int) -> bool:
        """Tell whether a range stands under such a condition."""
        for guard in self._guards_by_path.get(path, ()):
            holds_range = guard.start <= start and end <= guard.end
            if holds_range and self._decides(guard):
                return True

        return False

    def _collect_defined_words(self, sources: SourceFiles) -> set[str]:
        defined_words: set[str] = set()
        for path, guards in self._guards_by_path.items():
            for guard in guards:
                if not self._decides(guard):
                    continue

                names = _iter_defined_names(sources[path], guard)
                defined_words.update(names)

        return defined_words

    def _decides(self, guard: _Guard) -> bool:
        return not self._deciding_words.isdisjoint(guard.words)


@cache_per_source
def _list_guards(source: SourceText) -> tuple[_Guard, ...]:
    ranges = find_directive_ranges(source)
    directives = conditional_directives(source.raw, ranges)
    guards: list[_Guard] = []

    for conditional in conditionals(directives):
        if not conditional.is_closed:
            continue

        words: set[str] = set()
        for directive in conditional.directives:
            start = directive.condition
            condition_words = IDENTIFIER.findall(source.raw, start, directive.end)
            words.update(condition_words)

        guard = _Guard(conditional.start, conditional.end, frozenset(words))
        guards.append(guard)

    return tuple(guards)


def _iter_defined_names(source: SourceText, guard: _Guard) -> Iterator[str]:
    for macro in find_macros(source):
        if guard.start <= macro.name_offset < guard.end:
            yield macro.name
