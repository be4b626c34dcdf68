"""Which of the project's files a unit reads, as far as its text tells: what is left to go by where no parse ends."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from crawler.extract.launch_texts import EXTENDED, LAUNCHERS
from crawler.extract.macros import macros
from crawler.extract.source import Sources
from crawler.extract.written import kernel_words
from crawler.model import CompileCommand

_INCLUDE: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]{1,400})"|<([^>\n]{1,400})>)', re.MULTILINE)
_PATHS: Final = ("-I", "-isystem", "-iquote")
_MOST_FILES: Final = 3_000
_MOST_TEXT: Final = 64 << 20


def reached(command: CompileCommand, sources: Sources) -> tuple[str, ...]:
    """Return the unit's own file and, in front of it, the files that it includes whose text speaks of device code."""
    found = list(_included(command, sources))
    speaking = {path for path in found if "__global__" in sources[path].raw}
    words = kernel_words(macro for path in speaking for macro in macros(sources[path]))
    marks = re.compile("|".join(map(re.escape, sorted({*words, *LAUNCHERS, *EXTENDED, "<<<"}))))
    speaking |= {path for path in found if marks.search(sources[path].raw)}
    return (*(path for path in reversed(found[1:]) if path in speaking), command.file)


def _included(command: CompileCommand, sources: Sources) -> Iterator[str]:
    """Yield the files that a unit includes, itself first, whatever `#if` says, until they are too many."""
    folders = list(_folders(command))
    pending, seen = deque([command.file]), {command.file}
    room = _MOST_TEXT
    while pending and len(seen) < _MOST_FILES and room > 0:
        path = pending.popleft()
        yield path
        raw = sources[path].raw
        room -= len(raw)
        for quoted, angled in _INCLUDE.findall(raw):
            beside = [posixpath.dirname(path)] if quoted else []
            meant = _meant(quoted or angled, [*beside, *folders], sources)
            if meant and meant not in seen:
                seen.add(meant)
                pending.append(meant)


def _folders(command: CompileCommand) -> Iterator[str]:
    """Yield the checkout's folders among a command's include paths."""
    named = [word[2:] for word in command.arguments if word.startswith("-I")]
    named += [value for flag, value in pairwise(command.arguments) if flag in _PATHS]
    for folder in named:
        placed = posixpath.normpath(posixpath.join(command.directory, folder))
        if folder and not placed.startswith(("/", "..")):
            yield placed


def _meant(name: str, folders: Iterable[str], sources: Sources) -> str | None:
    for folder in folders:
        path = posixpath.normpath(posixpath.join(folder, name))
        if not path.startswith(("/", "..")) and (sources.root / path).is_file():
            return path
    return None
