"""Find the project files that a unit may include, in any branch of an `#if`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.source_text import SourceFiles, SourceText, cache_per_source
from crawler.extract.syntax.launch_syntax import LAUNCH_CALLS, STRUCT_LAUNCH_CALLS
from crawler.extract.syntax.unit_text import find_kernel_markers
from crawler.model import CompileCommand

_INCLUDE: Final = re.compile(
    r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<"])([^>"\n]{1,500})[>"]', re.MULTILINE
)
_FOLDERS: Final = ("-I", "-isystem", "-iquote", "-idirafter")
_MOST: Final = 4_000
_MOST_TEXT: Final = 64 << 20


def find_device_files(command: CompileCommand, sources: SourceFiles) -> tuple[str, ...]:
    """Return the files that a unit may read and whose text speaks of device code, with the
    unit's own file behind.
    """
    found = find_included_files(command, sources)
    speaking = {path for path in found if "__global__" in sources[path].raw}
    words = find_kernel_markers(
        macro for path in speaking for macro in find_macros(sources[path])
    )
    marks = re.compile(
        "|".join(
            map(re.escape, sorted({*words, *LAUNCH_CALLS, *STRUCT_LAUNCH_CALLS, "<<<"}))
        )
    )
    speaking |= {path for path in found if marks.search(sources[path].raw)}
    return (
        *(path for path in found if path in speaking and path != command.file),
        command.file,
    )


def find_included_files(
    command: CompileCommand, sources: SourceFiles
) -> tuple[str, ...]:
    """Return the project's files that a unit may read, included ones before those that include
    them.
    """
    folders = tuple(_folders(command))
    found: dict[str, None] = {}
    seen = {command.file}
    room = _MOST_TEXT
    stack = [(command.file, _included(command.file, sources, folders))]
    while stack:
        path, inner = stack[-1]
        fresh = (
            next((one for one in inner if one not in seen), None)
            if len(seen) < _MOST and room > 0
            else None
        )
        if fresh is None:
            found[path] = None
            stack.pop()
        else:
            seen.add(fresh)
            room -= len(sources[fresh].raw)
            stack.append((fresh, _included(fresh, sources, folders)))
    return tuple(found)


def _included(
    path: str, sources: SourceFiles, folders: tuple[str, ...]
) -> Iterator[str]:
    for is_quoted, name in _includes(sources[path]):
        near = (posixpath.dirname(path),) if is_quoted else ()
        places = (
            posixpath.normpath(posixpath.join(folder, name))
            for folder in (*near, *folders)
        )
        found = next(
            (
                place
                for place in places
                if not place.startswith(("..", "/")) and place in sources
            ),
            None,
        )
        if found:
            yield found


@cache_per_source
def _includes(source: SourceText) -> tuple[tuple[bool, str], ...]:
    return tuple((found[1] == '"', found[2]) for found in _INCLUDE.finditer(source.raw))


def _folders(command: CompileCommand) -> Iterator[str]:
    arguments = command.arguments
    for at, argument in enumerate(arguments):
        for option in _FOLDERS:
            if argument == option and at + 1 < len(arguments):
                yield posixpath.normpath(
                    posixpath.join(command.directory, arguments[at + 1])
                )
            elif argument.startswith(option) and argument != option:
                yield posixpath.normpath(
                    posixpath.join(command.directory, argument.removeprefix(option))
                )
