"""Find whole words in source files, comments and strings included, without tokenizing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from crawler.cpp.files.source_text import SourceFiles, SourceText, cache_per_source
from crawler.cpp.identifiers import is_word_character


class WordIndex:
    """Some words in the files of one translation unit."""

    def __init__(self, sources: SourceFiles, words: Collection[str]) -> None:
        self._sources = sources
        self._words = frozenset(words)

    def has_word_in_range(
        self, path: str, start: int, end: int, *, excluded_word: str = ""
    ) -> bool:
        """Tell whether a range holds one of the words, one that is not `excluded_word`."""
        occurrences = find_word_occurrences(self._sources[path], self._words)
        first = bisect_left(occurrences, (start, ""))
        last = bisect_left(occurrences, (end, ""))

        return any(word != excluded_word for _, word in occurrences[first:last])


@cache_per_source
def find_word_occurrences(
    source: SourceText, words: frozenset[str]
) -> tuple[tuple[int, str], ...]:
    """Return (offset, word) of each of `words` in a file, in order."""
    occurrences: list[tuple[int, str]] = []
    for word in words:
        if word in source.raw:
            occurrences += _iter_word(source.raw, word)

    return tuple(sorted(occurrences))


def _iter_word(text: str, word: str) -> Iterator[tuple[int, str]]:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        # at the beginning of the text the slice is empty
        before = text[start - 1 : start]
        after = text[end : end + 1]

        if not _is_one_name(before, word[0]) and not _is_one_name(after, word[-1]):
            yield start, word

        start = text.find(word, end)


def _is_one_name(neighbour: str, character: str) -> bool:
    """Tell whether a word's outer character and its neighbour belong to one name.

    Words may begin or end with other signs: `<<<` is found in `kernel<<<grid`.
    """
    return is_word_character(neighbour) and is_word_character(character)
