"""Read the calls recorded by stub compilers; the record is untrusted and bounded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.compilers import iter_source_entries
from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.builds.commands.response_files import expand_response_files
from crawler.errors import BadDatabase

_MOST_FILES: Final = 50_000
_MOST_BYTES: Final = 64 << 20
_MOST_WORDS: Final = 4_000_000
_RESPONSE_FILE: Final = "@"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCalls:
    """Entries as they were called, and how many calls they come from."""

    entries: tuple[DatabaseEntry, ...]
    call_count: int


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    directory: str
    words: tuple[str, ...]


def read_call_record(folder: Path) -> RecordedCalls:
    """Read the record that stubs left in `folder`; what is broken or over 64 MiB in all is left
    out.
    """
    entries: list[DatabaseEntry] = []
    calls = words = 0
    for group in _groups(folder):
        calls += 1
        for entry in _entries(group):
            words += len(entry.arguments or ())
            if words > _MOST_WORDS:
                return RecordedCalls(entries=tuple(entries), call_count=calls)
            entries.append(entry)
    return RecordedCalls(entries=tuple(entries), call_count=calls)


def _groups(folder: Path) -> Iterator[list[_Call]]:
    """Yield each call of a compiler followed by the response files that it was given."""
    for content in _contents(folder):
        group: list[_Call] = []
        for call in _calls(content):
            if call.tool != _RESPONSE_FILE and group:
                yield group
                group = []
            group.append(call)
        if group:
            yield group


def _contents(folder: Path) -> Iterator[bytes]:
    with os.scandir(folder) as found:
        names = [entry.name for entry in islice(found, _MOST_FILES)]
    total = 0
    for name in sorted(names, key=lambda name: (len(name), name)):
        try:
            content = read_untrusted_file(folder / name)
        except BadDatabase:
            continue
        total += len(content)
        if total > _MOST_BYTES:
            return
        yield content


def _calls(content: bytes) -> Iterator[_Call]:
    fields = iter(content.decode("utf-8", "replace").split("\0"))
    while True:
        head = list(islice(fields, 3))
        if len(head) < 3 or not head[2].isdecimal() or len(head[2]) > 6:
            return
        words = tuple(islice(fields, int(head[2])))
        if len(words) < int(head[2]):
            return
        yield _Call(head[0], head[1], words)


def _entries(group: list[_Call]) -> Iterator[DatabaseEntry]:
    call = group[0]
    if call.tool != _RESPONSE_FILE:
        files = {
            response.words[0]: response.words[1]
            for response in group[1:]
            if len(response.words) == 2
        }
        yield from iter_source_entries(
            [call.tool, *_expanded(call.words, files)], call.directory
        )


def _expanded(words: tuple[str, ...], files: Mapping[str, str]) -> list[str]:
    return list(expand_response_files(words, files.get)) if files else list(words)
