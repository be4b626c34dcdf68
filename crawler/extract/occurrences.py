"""Where words stand in a unit's files, comments and strings among them: a file need not be cut into tokens for it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from crawler.extract.source import Sources, SourceText, remembered


class Occurrences:
    """Some words in the files of one translation unit."""

    def __init__(self, sources: Sources, words: Collection[str]) -> None:
        self._sources = sources
        self._words = frozenset(words)

    def within(self, path: str, start: int, end: int, *, besides: str = "") -> bool:
        """Tell whether a range holds one of the words, one that is not `besides`."""
        found = occurrences(self._sources[path], self._words)
        listed = found[bisect_left(found, (start, "")) : bisect_left(found, (end, ""))]
        return any(word != besides for _, word in listed)


@remembered
def occurrences(source: SourceText, words: frozenset[str]) -> tuple[tuple[int, str], ...]:
    """Return (offset, word) of each of `words` in a file, in order."""
    return tuple(sorted(found for word in words if word in source.raw for found in _of_one(source.raw, word)))


def _of_one(text: str, word: str) -> Iterator[tuple[int, str]]:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _continues(text[at - 1 : at], word[0]) and not _continues(text[end : end + 1], word[-1]):
            yield at, word
        at = text.find(word, end)


def _continues(beside: str, character: str) -> bool:
    return (beside.isalnum() or beside == "_") and (character.isalnum() or character == "_")
