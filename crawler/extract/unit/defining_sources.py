"""Find the sources that define what the device code of a unit only declares.

Relocatable device code (`nvcc -rdc=true`) may call functions of other translation units, which a
linker joins. A kernel's unit stands alone, so it needs the definitions themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.clang.declarations import Declaration
from crawler.extract.operators.project_files import iter_project_files
from crawler.model import CompileCommand, KernelFacts, Span, UnitFacts

Fact = TypeVar("Fact")
_DEVICE: Final = "__device__"
_INCLUDE: Final = "-include"
_WORD: Final = re.compile(r"\w+")
_MAX_FILES: Final = 1_500
_MAX_FILE_BYTES: Final = 1 << 20
_MAX_SOURCES: Final = 8
"""Further sources that are read with one unit."""


@dataclass(frozen=True, slots=True)
class DeclaredFunction:
    """A function of device code that a unit declares and does not define."""

    qualified_name: str
    head_words: frozenset[str]
    """Words of its declaration: one of them may be a macro for `__device__`."""

    @property
    def name(self) -> str:
        """Its name without namespaces."""
        return self.qualified_name.rpartition("::")[2]

    def is_defined_in(self, source: SourceText) -> bool:
        """Tell whether a file has a definition of it for a device."""
        return any(
            self._is_named(function.name)
            and self._is_head(source.raw[function.start : function.body_start])
            for function in find_functions(source)
        )

    def _is_named(self, name: str) -> bool:
        # a namespace may be opened round it, a class is named in front of it
        return f"::{self.qualified_name}".endswith(f"::{name.removeprefix('::')}")

    def _is_head(self, head: str) -> bool:
        words = set(_WORD.findall(head))
        if _DEVICE in words:
            return True

        return any(word.isupper() for word in words & self.head_words)


def list_undefined_functions(
    declarations: Iterable[Declaration], kernels: Iterable[KernelFacts]
) -> list[DeclaredFunction]:
    """Return the functions that units of kernels hold the declaration of, and no definition."""
    places = {
        (origin.path, origin.offset)
        for kernel in kernels
        if kernel.closure
        for origin in kernel.closure.origins
        if origin
    }
    declared: dict[tuple[str, int], list[Declaration]] = {}
    for declaration in declarations:
        place = declaration.path, declaration.start
        if declaration.kind == "function" and place in places:
            declared.setdefault(place, []).append(declaration)

    # another reading of the same place may have the definition
    undefined = [
        DeclaredFunction(
            "::".join((*same[0].namespaces, same[0].cursor.spelling)),
            frozenset(_WORD.findall(same[0].raw_text)),
        )
        for same in declared.values()
        if all(map(_is_undefined, same))
    ]

    return list(dict.fromkeys(undefined))


def _is_undefined(declaration: Declaration) -> bool:
    if not declaration.is_usable_on_device:
        return False
    if declaration.is_definition or not declaration.cursor.spelling.isidentifier():
        return False

    return declaration.cursor.get_definition() is None


def join_defining_sources(
    command: CompileCommand,
    functions: Sequence[DeclaredFunction],
    known_files: Collection[str],
    sources: SourceFiles,
    root: Path,
) -> CompileCommand:
    """Return a command that reads a unit and behind it the sources that define functions.

    It is the same command where none does, or where more than one of the nearest folder does:
    those of two programs cannot be told apart.
    """
    # each reading may show that the sources behind it need others
    if command.arguments.count(_INCLUDE) >= _MAX_SOURCES:
        return command

    defining_paths: dict[str, None] = {}
    for function in functions:
        if not any(function.is_defined_in(sources[path]) for path in defining_paths):
            path = _find_nearest_source(
                function, command.file, known_files, sources, root
            )
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
    function: DeclaredFunction,
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
            if _names(root / file, function) and function.is_defined_in(sources[file])
        ]
        if defining:
            return defining[0] if len(defining) == 1 else ""

    return ""


def _iter_code(root: Path, folder: str) -> Iterator[str]:
    for path in iter_project_files(root, folder):
        if get_suffix(path) in SOURCE_SUFFIXES:
            yield path


def _names(file: Path, function: DeclaredFunction) -> bool:
    """Tell whether a file has the name of a function, without keeping its text."""
    if file.is_symlink() or not file.is_file():
        return False
    if file.stat().st_size > _MAX_FILE_BYTES:
        return False

    return function.name.encode() in file.read_bytes()


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
    return sum(each.severity in ("error", "fatal") for each in facts.diagnostics)


def _select(
    facts: Iterable[Fact], files: Collection[str], get_span: Callable[[Fact], Span]
) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if get_span(fact).path in files)
