"""Parse a unit with installed header libraries, where it uses more of them than our shims have.

Shims come first: they are quick to parse, are ported to HIP and run on a CPU.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from clang.cindex import Diagnostic

from crawler.cpp.files.source_text import SourceFiles
from crawler.errors import ParseFailed
from crawler.extract.clang.parse import path_in_checkout
from crawler.extract.unit.missing_headers.include_search import FILE_NOT_FOUND
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
)
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.libraries.discovery import find_claiming, find_installed, list_known
from crawler.libraries.interface import HeaderLibrary
from crawler.model import Dialect

_MAX_ROUNDS: Final = 2
"""What one library brings may show what another one lacks."""
# an error of clang's: scopes that it quotes
_NAMED_SCOPE: Final = re.compile(
    r"(?<![\w:])(?:::)?(\w+)(?=::)|(?:namespace|undeclared identifier) '(\w+)"
)


def load_with_libraries(unit: TranslationUnit, sources: SourceFiles) -> TranslationUnit:
    """Return a unit parsed with the libraries that its errors name, if then it has fewer errors.

    Returns `unit` itself otherwise, and where none of them is installed.
    """
    dialect = unit.command.dialect or Dialect.CUDA
    best_unit = unit
    fewest_errors = _count_own_errors(unit)
    tried: set[tuple[str, ...]] = {()}
    for _ in range(_MAX_ROUNDS):
        messages = collect_error_messages(best_unit.clang_unit)
        needed = find_needed_libraries(messages, dialect)
        if fewest_errors == 0 or not needed:
            break

        for libraries in list_choices((*best_unit.libraries, *needed), dialect):
            if libraries in tried:
                continue

            tried.add(libraries)
            library_unit = _load_or_none(unit, sources, libraries)
            if library_unit is None:
                continue

            error_count = _count_own_errors(library_unit)
            if error_count < fewest_errors:
                best_unit, fewest_errors = library_unit, error_count
            if fewest_errors == 0:
                break

    return best_unit


def _load_or_none(
    unit: TranslationUnit, sources: SourceFiles, libraries: tuple[str, ...]
) -> TranslationUnit | None:
    try:
        return load_translation_unit(
            unit.root, unit.command, sources, libraries=libraries
        )
    except ParseFailed:
        # what our shims showed is better than nothing
        return None


def list_choices(
    needed: Collection[str], dialect: Dialect
) -> tuple[tuple[str, ...], ...]:
    """Return the sets of libraries that may serve where `needed` are, those to try first in front.

    A library may hold another one in a version of its own, as CCCL does Thrust: both together
    are two copies of the same. A project for the older one does without the newer.
    """
    known_libraries = [
        library
        for library in list_known()
        if dialect in library.dialects and find_installed(library.name) is not None
    ]
    plain = tuple(library for library in known_libraries if library.name in needed)
    holders = [
        holder
        for holder in known_libraries
        if any(_holds(holder, library) for library in plain)
    ]
    choices = []
    if not any(holder in plain for holder in holders):
        choices.append(plain)
    for holder in holders:
        rest = [
            library
            for library in plain
            if library is not holder and not _holds(holder, library)
        ]
        choices.append((holder, *rest))

    return tuple(
        dict.fromkeys(_complete(choice, known_libraries) for choice in choices)
    )


def _holds(holder: HeaderLibrary, library: HeaderLibrary) -> bool:
    return bool(set(library.prefixes) & set(holder.held_prefixes))


def _complete(
    choice: Collection[HeaderLibrary], known_libraries: Collection[HeaderLibrary]
) -> tuple[str, ...]:
    """Return the names of libraries with those that their own headers include, in order."""
    names = {library.name for library in choice}
    for library in choice:
        names.update(library.companions)

    return tuple(library.name for library in known_libraries if library.name in names)


def _count_own_errors(unit: TranslationUnit) -> int:
    """Return how many errors stand in the project's own files.

    A library may say of itself what our headers lack for its host side; one header of it that is
    missing counts for more.
    """
    count = 0
    for diagnostic in unit.clang_unit.diagnostics:
        if diagnostic.severity < Diagnostic.Error:
            continue

        file = diagnostic.location.file
        name = file.name if file else ""
        is_elsewhere = name.startswith("/") and not path_in_checkout(
            name, unit.root, ""
        )
        if not is_elsewhere:
            count += 1

    return count


def find_needed_libraries(
    error_messages: Collection[str], dialect: Dialect
) -> tuple[str, ...]:
    """Return the installed libraries whose headers or names errors say are missing."""
    names: dict[str, None] = {}
    for message in error_messages:
        names.update(dict.fromkeys(_list_concerned(message)))

    return tuple(
        library.name
        for library in list_known()
        if library.name in names
        and dialect in library.dialects
        and find_installed(library.name) is not None
    )


def _list_concerned(message: str) -> list[str]:
    """Return the libraries that an error is about."""
    missing = FILE_NOT_FOUND.search(message)
    if missing:
        library = find_claiming(missing[1])
        return [library.name] if library else []

    scopes = {scope for match in _NAMED_SCOPE.findall(message) for scope in match}
    return [
        library.name
        for library in list_known()
        if not scopes.isdisjoint(library.namespaces)
    ]
