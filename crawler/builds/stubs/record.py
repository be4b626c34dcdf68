"""What the stub compilers wrote down, read as a stranger's: bounded, and never trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.commands.compilers import compiled
from crawler.builds.commands.entries import Entry
from crawler.builds.commands.response import expand
from crawler.builds.reading.untrusted import read_left
from crawler.errors import BadDatabase

_MOST_FILES: Final = 50_000
_MOST_BYTES: Final = 64 << 20
_MOST_WORDS: Final = 4_000_000
_RESPONSE_FILE: Final = "@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Entries as they were called, and how many calls they come from."""

    entries: tuple[Entry, ...]
    calls: int


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    directory: str
    words: tuple[str, ...]


def read_record(folder: Path) -> Recorded:
    """Read the record that stubs left in `folder`; what is broken or over 64 MiB in all is left out."""
    entries: list[Entry] = []
    calls = words = 0
    for group in _groups(folder):
        calls += 1
        for entry in _entries(group):
            words += len(entry.arguments or ())
            if words > _MOST_WORDS:
                return Recorded(entries=tuple(entries), calls=calls)
            entries.append(entry)
    return Recorded(entries=tuple(entries), calls=calls)


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
            content = read_left(folder / name)
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


def _entries(group: list[_Call]) -> Iterator[Entry]:
    call = group[0]
    if call.tool != _RESPONSE_FILE:
        files = {response.words[0]: response.words[1] for response in group[1:] if len(response.words) == 2}
        yield from compiled([call.tool, *_expanded(call.words, files)], call.directory)


def _expanded(words: tuple[str, ...], files: Mapping[str, str]) -> list[str]:
    return list(expand(words, files.get)) if files else list(words)
