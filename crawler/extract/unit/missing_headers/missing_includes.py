"""Add the headers that a header which is not self-contained expects its includer to provide."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.operators.project_files import (
    HEADER_SUFFIXES,
    iter_project_files,
)
from crawler.extract.unit.missing_headers.assumed_types import assume_types
from crawler.extract.unit.missing_headers.include_search import (
    FILE_NOT_FOUND,
    load_with_include_search,
)
from crawler.extract.unit.missing_headers.library_parse import load_with_libraries
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
)
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.model import CompileCommand

# an error of clang's: the name that it quotes
_UNKNOWN_NAME: Final = re.compile(
    r"(?:unknown type name|no template named|use of undeclared identifier) '([A-Za-z_]\w*)'"
)
# a pattern: up to 1,500 headers of the project that nothing included are searched
_TYPE_DEFINITION: Final = (
    r"^[ \t]*+(?:template\b[^;{}]{0,400}>\s*+)?"
    r"(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s++NAME\b"
    r"[^;{}()]{0,400}\{"
    r"|^[ \t]*+using\s++NAME\s*+="
)
_MAX_NAMES: Final = 8
_MAX_TEXT: Final = 4 << 20
_MAX_FILES: Final = 1_500
_MAX_FILE_BYTES: Final = 1 << 18


def load_with_missing_includes(
    root: Path, command: CompileCommand, sources: SourceFiles
) -> TranslationUnit:
    """Parse a unit, once more with include paths that its command lacks, and with what it leaves
    to others where it is a header that knows too little.
    """
    unit = load_translation_unit(root, command, sources)
    unit = load_with_include_search(unit, sources)
    unit = load_with_libraries(unit, sources)
    messages = collect_error_messages(unit.clang_unit)
    completed_command = add_missing_includes(
        unit.command,
        messages,
        root,
    )
    if completed_command != unit.command:
        unit = load_translation_unit(
            root,
            completed_command,
            sources,
            libraries=unit.libraries,
        )

    return load_with_assumed_types(unit, sources)


def load_with_assumed_types(
    unit: TranslationUnit, sources: SourceFiles
) -> TranslationUnit:
    """Parse a unit that lacks headers once more with the types of them that its files tell, if then
    it has fewer errors; a function that takes such a type is else none.
    """
    messages = collect_error_messages(unit.clang_unit)
    if not any(map(FILE_NOT_FOUND.search, messages)):
        return unit

    text = "\n".join(unit.unit_text.sources[path].raw for path in unit.unit_text.files)
    assumed_types = assume_types(messages, text[:_MAX_TEXT])
    if not assumed_types:
        return unit

    completed_unit = load_translation_unit(
        unit.root,
        unit.command,
        sources,
        libraries=unit.libraries,
        assumed_types=assumed_types,
    )
    if len(collect_error_messages(completed_unit.clang_unit)) < len(messages):
        return completed_unit

    return unit


def add_missing_includes(
    command: CompileCommand, error_messages: Iterable[str], root: Path
) -> CompileCommand:
    """Return the command of a header parsed by itself with the headers that it leaves to
    whoever includes it.

    They are those that define what its parse calls unknown; for each name the one nearest to
    it.
    """
    # a source that is built by itself includes what it needs
    if not command.file.lower().endswith(HEADER_SUFFIXES):
        return command

    names: dict[str, None] = {}
    for message in error_messages:
        names.update(dict.fromkeys(_UNKNOWN_NAME.findall(message)))

    headers: dict[str, None] = {}
    for name in islice(names, _MAX_NAMES):
        header = _find_nearest_definition(name, command.file, root)
        if header:
            headers[header] = None

    arguments = list(command.arguments)
    for header in headers:
        arguments += ["-include", os.path.relpath(header, command.directory or ".")]

    return replace(command, arguments=tuple(arguments))


def _find_nearest_definition(name: str, path: str, root: Path) -> str:
    """Return the header that alone defines a type of that name in the smallest folder round
    `path` which has one, else `""`.
    """
    definition = re.compile(_TYPE_DEFINITION.replace("NAME", name), re.MULTILINE)
    searched_headers = {path}
    # from its own folder up to the root
    for folder in PurePosixPath(path).parents:
        unsearched = (
            header
            for header in _iter_headers(root, str(folder))
            if header not in searched_headers
        )

        new_headers = list(islice(unsearched, _MAX_FILES - len(searched_headers)))
        searched_headers.update(new_headers)
        defining_headers = []
        for header in new_headers:
            text = _read_text(root / header)
            if name in text and definition.search(text):
                defining_headers.append(header)

        # two definitions, as of two backends, leave it open which is meant
        if defining_headers or len(searched_headers) >= _MAX_FILES:
            return defining_headers[0] if len(defining_headers) == 1 else ""

    return ""


def _iter_headers(root: Path, folder: str) -> Iterator[str]:
    for path in iter_project_files(root, folder):
        if path.endswith(HEADER_SUFFIXES):
            yield path


def _read_text(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        return ""

    with file.open("rb") as stream:
        return stream.read(_MAX_FILE_BYTES).decode("latin-1")
