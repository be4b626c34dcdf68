"""Which sources of a project make programs that launch a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.model import CompileCommand, Kernel

# Over text: a source that no compiler of ours accepts may still be part of another program
_MAIN: Final = re.compile(r"\bmain\s*\((?:\s*\)|\s*void\b|\s*(?:const\s+)?int\b)")
# lines of raw text: an include that is commented out brings a file that nothing needs
_INCLUDE: Final = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*"(?:\./)?([^"\n]+)"', re.MULTILINE
)
_MAX_PROGRAMS: Final = 3
"""Programs that are looked at for one kernel."""
_MAX_SOURCES: Final = 16
_SOURCE_SUFFIXES: Final = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
"""Of what is compiled by itself; a header has a command, too."""
_MAX_FILE_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSources:
    """What a program may be made of."""

    main: CompileCommand
    """Of the source that defines `main`."""
    neighbours: tuple[CompileCommand, ...] = ()
    """Of other sources in its folder, for what `main` leaves undefined."""


def find_programs(
    root: Path, commands: Sequence[CompileCommand], kernel: Kernel
) -> tuple[ProgramSources, ...]:
    """Return the programs in the checkout `root` whose sources launch `kernel`, at most three.

    Sources that launch it and define `main` come first; else those that stand beside one that
    launches it.
    """
    launch_files = {launch.span.path for launch in kernel.launches}
    launch_folders = {_folder_of(path) for path in launch_files}
    programs = list_programs(
        root,
        [command for command in commands if _folder_of(command.file) in launch_folders],
    )
    own_programs = [
        program for program in programs if program.main.file in launch_files
    ]

    return tuple((own_programs or programs)[:_MAX_PROGRAMS])


def list_programs(
    root: Path, commands: Sequence[CompileCommand]
) -> list[ProgramSources]:
    """Return a program for each source of `commands` that defines `main`, by its path."""
    candidates = {command.file: command for command in commands}
    files_with_main = {path for path in candidates if _defines_main(root / path)}

    return [
        ProgramSources(
            main=candidates[path],
            neighbours=tuple(_list_neighbours(root, path, candidates, files_with_main)),
        )
        for path in sorted(files_with_main)
    ]


def read_source(root: Path, command: CompileCommand) -> str:
    """Return the text of a source; empty where it cannot be read, or is over 4 MiB."""
    return _read_text(root / command.file)


def _folder_of(path: str) -> PurePosixPath:
    return PurePosixPath(path).parent


def _list_neighbours(
    root: Path,
    main: str,
    candidates: dict[str, CompileCommand],
    files_with_main: Iterable[str],
) -> Iterator[CompileCommand]:
    other_files = sorted(candidates.keys() - set(files_with_main))
    neighbours = [
        path
        for path in other_files
        if _folder_of(path) == _folder_of(main) and path.endswith(_SOURCE_SUFFIXES)
    ][:_MAX_SOURCES]
    # what another source includes is a part of that one: its definitions would be there twice
    included = {
        path for file in (main, *neighbours) for path in _list_included(root, file)
    }
    for path in neighbours:
        if path not in included:
            yield candidates[path]


def _list_included(root: Path, path: str) -> set[str]:
    """Return the files of its own folder that a source includes by their names."""
    folder = _folder_of(path)
    return {str(folder / name) for name in _INCLUDE.findall(_read_text(root / path))}


def _defines_main(file: Path) -> bool:
    text = _read_text(file)
    # the text as it is first: to blank its comments costs more
    return bool(_MAIN.search(text) and _MAIN.search(MaskedSource(text).code))


def _read_text(file: Path) -> str:
    """Return the text of a source; nothing for what is none, or is too large."""
    if file.is_symlink() or not file.is_file():
        return ""
    if file.stat().st_size > _MAX_FILE_BYTES:
        return ""

    return file.read_text("utf-8", "surrogateescape")
