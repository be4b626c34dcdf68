"""Complete the include paths of a command by headers that stand in the tree.

A build's flags do not always reach an extraction: a variable of a package that is not installed,
a file that configuration would have written. Its headers stand in the tree all the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from clang.cindex import Diagnostic

from crawler.checkout.include_resolver import load_resolver
from crawler.checkout.source_scan import Include
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.parse import path_in_checkout
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
)
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.model import CompileCommand, FlagsOrigin

# clang: `fatal error: 'cutlass/cutlass.h' file not found`
FILE_NOT_FOUND: Final = re.compile(r"'([^']+)' file not found$")
_MAX_ROUNDS: Final = 6
"""Parses at most: a header that is found may include others that are not."""
_MAX_INCLUDE_PATHS: Final = 64


def load_with_include_search(
    unit: TranslationUnit, sources: SourceFiles
) -> TranslationUnit:
    """Return a unit whose unresolved includes were looked for in the tree, nearest first.

    Returns `unit` itself where nothing is found, or where its parse has no fewer errors with what
    was found: then a file of that name is not the one that is meant.
    """
    completed_unit = unit
    added_paths: dict[str, None] = {}
    for _ in range(_MAX_ROUNDS):
        new_paths = [
            path
            for path in _find_include_paths(completed_unit)
            if path not in added_paths
        ]
        if not new_paths or len(added_paths) > _MAX_INCLUDE_PATHS:
            break

        added_paths.update(dict.fromkeys(new_paths))
        completed_unit = _load_with_paths(unit, list(added_paths), sources)

    if _count_errors(completed_unit) < _count_errors(unit):
        return completed_unit
    return unit


def add_include_paths(
    command: CompileCommand, parsed_command: CompileCommand
) -> CompileCommand:
    """Return a command with the include paths that its parse needed besides."""
    added_arguments = parsed_command.added_arguments
    if not added_arguments:
        return command
    return replace(
        command,
        arguments=(*command.arguments, *added_arguments),
        added_arguments=added_arguments,
        origin=parsed_command.origin,
    )


def _find_include_paths(unit: TranslationUnit) -> Iterator[str]:
    """Yield the include path behind each include that the parse could not resolve.

    Paths are relative to the checkout's root.
    """
    resolver = load_resolver(unit.root)
    if resolver is None:
        return

    for includer, name in _iter_unresolved_includes(unit):
        edge = resolver.resolve(includer, Include(name=name, is_quoted=True))
        # clang itself finds `#include <own.h>` beside its includer, and goes on
        if edge and edge.include_path:
            yield edge.include_path


def _iter_unresolved_includes(unit: TranslationUnit) -> Iterator[tuple[str, str]]:
    """Yield the file that includes and the name that it includes."""
    for diagnostic in unit.clang_unit.diagnostics:
        if diagnostic.severity < Diagnostic.Error:
            continue

        error = FILE_NOT_FOUND.match(diagnostic.spelling)
        if error:
            yield _locate(diagnostic, unit) or unit.command.file, error[1]


def _locate(diagnostic: Any, unit: TranslationUnit) -> str | None:
    file = diagnostic.location.file
    if file is None:
        return None
    return path_in_checkout(file.name, unit.root, unit.command.directory)


def _load_with_paths(
    unit: TranslationUnit, include_paths: list[str], sources: SourceFiles
) -> TranslationUnit:
    command = unit.command
    added_arguments = []
    for include_path in include_paths:
        relative_path = posixpath.relpath(include_path, command.directory or ".")
        # Behind all others: what the command reaches by itself stays as it is.
        added_arguments += ["-idirafter", relative_path]

    # Nothing of a made-up command was the project's: to complete it makes it no better.
    is_synthesised = command.origin is FlagsOrigin.SYNTHESISED
    completed_command = replace(
        command,
        arguments=(*command.arguments, *added_arguments),
        added_arguments=tuple(added_arguments),
        origin=command.origin if is_synthesised else FlagsOrigin.COMPLETED,
    )
    return load_translation_unit(unit.root, completed_command, sources)


def _count_errors(unit: TranslationUnit) -> int:
    return len(collect_error_messages(unit.clang_unit))
