"""Find whole words in source files, comments and strings included, without tokenizing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from crawler.cpp.source_text import SourceFiles, SourceText, cache_per_source


class WordIndex:
    """Some words in the files of one translation unit."""

    def __init__(self, sources: SourceFiles, words: Collection[str]) -> None:
        self._sources = sources
        self._words = frozenset(words)

    def has_word_in_range(
        self, path: str, start: int, end: int, *, excluded_word: str = ""
    ) -> bool:
        """Tell whether a range holds one of the words, one that is not `excluded_word`."""
        found = find_word_occurrences(self._sources[path], self._words)
        listed = found[bisect_left(found, (start, "")) : bisect_left(found, (end, ""))]
        return any(word != excluded_word for _, word in listed)


@cache_per_source
def find_word_occurrences(
    source: SourceText, words: frozenset[str]
) -> tuple[tuple[int, str], ...]:
    """Return (offset, word) of each of `words` in a file, in order."""
    return tuple(
        sorted(
            found
            for word in words
            if word in source.raw
            for found in _of_one(source.raw, word)
        )
    )


def _of_one(text: str, word: str) -> Iterator[tuple[int, str]]:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not _continues(text[at - 1 : at], word[0]) and not _continues(
            text[end : end + 1], word[-1]
        ):
            yield at, word
        at = text.find(word, end)


def _continues(beside: str, character: str) -> bool:
    return (beside.isalnum() or beside == "_") and (
        character.isalnum() or character == "_"
    )
