"""Read the calls recorded by stub compilers; the record is untrusted and bounded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.commands.compilers import iter_source_entries
from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.builds.commands.response_files import expand_response_files
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase

_MAX_FILES: Final = 50_000
_MAX_BYTES: Final = 64 << 20
_MAX_WORDS: Final = 4_000_000
_MAX_COUNT_DIGITS: Final = 6
_RESPONSE_FILE: Final = "@"
"""Stands in place of a tool's name in front of a response file's name and content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCalls:
    """Entries for the sources of recorded calls."""

    entries: tuple[DatabaseEntry, ...]
    call_count: int


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    directory: str
    words: tuple[str, ...]


def read_call_record(folder: Path) -> RecordedCalls:
    """Read the record that stubs wrote into `folder`.

    What is malformed, or over 64 MiB in all, is left out.
    """
    entries: list[DatabaseEntry] = []
    call_count = 0
    word_count = 0

    for group in _iter_call_groups(folder):
        call_count += 1
        for entry in _iter_entries(group):
            word_count += len(entry.arguments or ())
            if word_count > _MAX_WORDS:
                return RecordedCalls(entries=tuple(entries), call_count=call_count)

            entries.append(entry)

    return RecordedCalls(entries=tuple(entries), call_count=call_count)


def _iter_call_groups(folder: Path) -> Iterator[list[_Call]]:
    """Yield each call of a compiler followed by the response files that it was given."""
    for content in _iter_contents(folder):
        group: list[_Call] = []
        for call in _parse_calls(content):
            # the next compiler's call begins
            if call.tool != _RESPONSE_FILE and group:
                yield group
                group = []

            group.append(call)

        if group:
            yield group


def _iter_contents(folder: Path) -> Iterator[bytes]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, _MAX_FILES)]

    # files are named by numbers: 9 comes before 10
    names.sort(key=lambda name: (len(name), name))

    total_bytes = 0
    for name in names:
        try:
            content = read_untrusted_file(folder / name)
        except BadDatabase:
            continue

        total_bytes += len(content)
        if total_bytes > _MAX_BYTES:
            return

        yield content


def _parse_calls(content: bytes) -> Iterator[_Call]:
    """Yield the calls of a file: tool, directory, number of words, words, each ended by NUL."""
    fields = iter(content.decode("utf-8", "replace").split("\0"))
    while True:
        head = list(islice(fields, 3))
        if len(head) < 3:
            return

        tool, directory, count = head
        # a forged count of thousands of digits would take long to convert
        if not count.isdecimal() or len(count) > _MAX_COUNT_DIGITS:
            return

        word_count = int(count)
        words = tuple(islice(fields, word_count))
        if len(words) < word_count:
            return

        yield _Call(tool, directory, words)


def _iter_entries(group: list[_Call]) -> Iterator[DatabaseEntry]:
    call = group[0]
    if call.tool == _RESPONSE_FILE:
        return

    response_files: dict[str, str] = {}
    for response in group[1:]:
        if len(response.words) == 2:
            name, text = response.words
            response_files[name] = text

    # the response file itself may have been deleted by the build
    words = list(call.words)
    if response_files:
        words = list(expand_response_files(words, response_files.get))

    yield from iter_source_entries([call.tool, *words], call.directory)
