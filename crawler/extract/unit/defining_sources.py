"""Read a unit together with the sources that define what its device code only declares."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.operators.project_files import iter_project_files
from crawler.extract.unit.undefined_names import DeclaredName
from crawler.model import CompileCommand, Span, UnitFacts

Fact = TypeVar("Fact")
_INCLUDE: Final = "-include"
_MAX_FILES: Final = 1_500
_MAX_FILE_BYTES: Final = 4 << 20
_MAX_SOURCES: Final = 8
"""Further sources that are read with one unit."""


def join_defining_sources(
    command: CompileCommand,
    names: Sequence[DeclaredName],
    known_files: Collection[str],
    sources: SourceFiles,
    root: Path,
) -> CompileCommand:
    """Return a command that reads a unit and behind it the sources that define names.

    It is the same command where none does, or where more than one of the nearest folder does:
    those of two programs cannot be told apart.
    """
    # each reading may show that the sources behind it need others
    if command.arguments.count(_INCLUDE) >= _MAX_SOURCES:
        return command

    defining_paths: dict[str, None] = {}
    for name in names:
        if not any(name.is_defined_in(sources[path]) for path in defining_paths):
            path = _find_nearest_source(name, command.file, known_files, sources, root)
            if path:
                defining_paths[path] = None

    if not defining_paths or len(defining_paths) > _MAX_SOURCES:
        return command

    # what a unit defines ahead of its includes holds, and is unknown to those behind it
    *before, last = command.file, *defining_paths
    arguments = list(command.arguments)
    for path in before:
        arguments += [_INCLUDE, os.path.relpath(path, command.directory or ".")]

    return replace(command, file=last, arguments=tuple(arguments))


def _find_nearest_source(
    name: DeclaredName,
    path: str,
    known_files: Collection[str],
    sources: SourceFiles,
    root: Path,
) -> str:
    searched = {*known_files, path}
    remaining = _MAX_FILES
    # from its own folder up to the root
    for folder in PurePosixPath(path).parents:
        unsearched = (
            file for file in _iter_code(root, str(folder)) if file not in searched
        )
        files = list(islice(unsearched, remaining))
        remaining -= len(files)
        searched.update(files)
        defining = [
            file
            for file in files
            if _holds_name(root / file, name) and name.is_defined_in(sources[file])
        ]
        if defining:
            return defining[0] if len(defining) == 1 else ""

    return ""


def _iter_code(root: Path, folder: str) -> Iterator[str]:
    for path in iter_project_files(root, folder):
        if get_suffix(path) in SOURCE_SUFFIXES:
            yield path


def _holds_name(file: Path, name: DeclaredName) -> bool:
    """Tell whether a name stands in a file, without keeping its text."""
    if file.is_symlink() or not file.is_file():
        return False
    if file.stat().st_size > _MAX_FILE_BYTES:
        return False

    return name.name.encode() in file.read_bytes()


def select_own_facts(
    joined: UnitFacts, own: UnitFacts, own_files: Collection[str]
) -> UnitFacts:
    """Return what a unit that was read with further sources shows of its own files.

    It is what the unit showed without them where their texts do not go together, which errors
    tell, such as of a name that two sources use.
    """
    if _count_errors(joined) > _count_errors(own):
        return own

    files = {*own_files, own.command.file}
    return replace(
        joined,
        command=own.command,
        kernels=_select(joined.kernels, files, lambda kernel: kernel.span),
        launches=_select(joined.launches, files, lambda facts: facts.launch.span),
        bindings=_select(joined.bindings, files, lambda binding: binding.span),
    )


def _count_errors(facts: UnitFacts) -> int:
    return sum(
        diagnostic.severity in ("error", "fatal") for diagnostic in facts.diagnostics
    )


def _select(
    facts: Iterable[Fact], files: Collection[str], get_span: Callable[[Fact], Span]
) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if get_span(fact).path in files)
