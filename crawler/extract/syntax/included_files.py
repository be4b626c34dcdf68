"""Find the project files that a unit may include, in any branch of an `#if`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from typing import Final

from crawler.cpp.files.source_text import SourceFiles, SourceText, cache_per_source
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.extract.syntax.launch_syntax import LAUNCH_CALLS, STRUCT_LAUNCH_CALLS
from crawler.extract.syntax.unit_text import find_kernel_markers
from crawler.model import CompileCommand

# asked of every header that a unit might reach, thousands of them: too many to tokenize
_INCLUDE: Final = re.compile(
    r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<"])([^>"\n]{1,500})[>"]', re.MULTILINE
)
_INCLUDE_OPTIONS: Final = ("-I", "-isystem", "-iquote", "-idirafter")
_MAX_FILES: Final = 4_000
_MAX_CHARACTERS: Final = 64 << 20


def find_device_files(command: CompileCommand, sources: SourceFiles) -> tuple[str, ...]:
    """Return the files that a unit may read and whose text speaks of device code.

    The unit's own file comes last, whatever it holds.
    """
    included_files = find_included_files(command, sources)
    kernel_files = {
        path for path in included_files if "__global__" in sources[path].raw
    }
    device_code = _compile_device_code_pattern(sources, kernel_files)

    device_files: list[str] = []

    for path in included_files:
        if path == command.file:
            continue

        if path in kernel_files or device_code.search(sources[path].raw):
            device_files.append(path)

    return (*device_files, command.file)


def _compile_device_code_pattern(
    sources: SourceFiles, kernel_files: Collection[str]
) -> re.Pattern[str]:
    """Return what finds marks of kernels, the project's own ones included, and launches."""
    # e.g. a project's own `KERNEL`, defined as `__global__ void`
    macros: list[Macro] = []
    for path in kernel_files:
        macros += find_macros(sources[path])

    markers = find_kernel_markers(macros)
    words = {*markers, *LAUNCH_CALLS, *STRUCT_LAUNCH_CALLS, "<<<"}
    # for raw text: a mark in a comment has one file more looked at
    alternatives = map(re.escape, sorted(words))

    return re.compile("|".join(alternatives))


def find_included_files(
    command: CompileCommand, sources: SourceFiles
) -> tuple[str, ...]:
    """Return the project's files that a unit may read.

    Included ones stand before those that include them.
    """
    folders = tuple(_iter_include_folders(command))
    finished: dict[str, None] = {}
    visited = {command.file}
    remaining_characters = _MAX_CHARACTERS

    # depth first without recursion: chains of headers may be long
    stack = [(command.file, _iter_included(command.file, sources, folders))]

    while stack:
        path, included = stack[-1]
        has_room = len(visited) < _MAX_FILES and remaining_characters > 0
        new_path = _find_unvisited(included, visited) if has_room else None

        # a file is finished when all that it includes is
        if new_path is None:
            finished[path] = None
            stack.pop()
            continue

        visited.add(new_path)
        remaining_characters -= len(sources[new_path].raw)
        inner_included = _iter_included(new_path, sources, folders)
        stack.append((new_path, inner_included))

    return tuple(finished)


def _find_unvisited(paths: Iterator[str], visited: Collection[str]) -> str | None:
    for path in paths:
        if path not in visited:
            return path

    return None


def _iter_included(
    path: str, sources: SourceFiles, folders: tuple[str, ...]
) -> Iterator[str]:
    """Yield the project's files that a file includes."""
    own_folder = posixpath.dirname(path)
    for is_quoted, name in _list_includes(sources[path]):
        searched_folders = (own_folder, *folders) if is_quoted else folders
        for folder in searched_folders:
            joined = posixpath.join(folder, name)
            candidate = posixpath.normpath(joined)
            # system headers stand outside of the project
            is_inside = not candidate.startswith(("..", "/"))

            if is_inside and candidate in sources:
                yield candidate
                break


@cache_per_source
def _list_includes(source: SourceText) -> tuple[tuple[bool, str], ...]:
    """Return (whether it stands in quotes, name) of each include."""
    includes: list[tuple[bool, str]] = []
    for delimiter, name in _INCLUDE.findall(source.raw):
        is_quoted = delimiter == '"'
        includes.append((is_quoted, name))

    return tuple(includes)


def _iter_include_folders(command: CompileCommand) -> Iterator[str]:
    arguments = command.arguments
    last_index = len(arguments) - 1

    for index, argument in enumerate(arguments):
        for option in _INCLUDE_OPTIONS:
            if not argument.startswith(option):
                continue

            folder = argument.removeprefix(option)
            if argument == option:
                # `-I folder`: nothing stands behind the last one
                if index == last_index:
                    continue
                folder = arguments[index + 1]

            joined = posixpath.join(command.directory, folder)
            yield posixpath.normpath(joined)
