"""Add the headers that a header which is not self-contained expects its includer to provide."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.cpp.source_text import SourceFiles
from crawler.extract.unit.stub_declarations import collect_error_messages
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.model import CompileCommand

_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc", ".ipp", ".tpp")
_UNKNOWN: Final = re.compile(
    r"(?:unknown type name|no template named|use of undeclared identifier) '([A-Za-z_]\w*)'"
)
_DEFINED: Final = (
    r"^[ \t]*+(?:template\b[^;{}]{0,400}>\s*+)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s++NAME\b"
    r"[^;{}()]{0,400}\{"
    r"|^[ \t]*+using\s++NAME\s*+="
)
_MOST_NAMES: Final = 8
_MOST_FILES: Final = 1_500
_LARGEST: Final = 1 << 18


def load_with_missing_includes(
    root: Path, command: CompileCommand, sources: SourceFiles
) -> TranslationUnit:
    """Parse a unit, once more with what it leaves to others where it is a header that knows too
    little.
    """
    seen = load_translation_unit(root, command, sources)
    able = add_missing_includes(command, collect_error_messages(seen.clang_unit), root)
    return load_translation_unit(root, able, sources) if able != command else seen


def add_missing_includes(
    command: CompileCommand, error_messages: Iterable[str], root: Path
) -> CompileCommand:
    """Return the command of a header parsed by itself with the headers that it leaves to
    whoever includes it.

    They are those that define what its parse calls unknown; for each name the one nearest to
    it.
    """
    if not command.file.lower().endswith(_HEADERS):
        return command
    names = dict.fromkeys(
        name for message in error_messages for name in _UNKNOWN.findall(message)
    )
    found = (_nearest(name, command.file, root) for name in list(names)[:_MOST_NAMES])
    forced = [
        os.path.relpath(header, command.directory or ".")
        for header in dict.fromkeys(found)
        if header
    ]
    more = [word for header in forced for word in ("-include", header)]
    return replace(command, arguments=(*command.arguments, *more))


def _nearest(name: str, path: str, root: Path) -> str:
    """Return the header that alone defines a type of that name in the smallest folder round
    `path` which has one.
    """
    defined = re.compile(_DEFINED.replace("NAME", name), re.MULTILINE)
    seen = {path}
    for folder in PurePosixPath(path).parents:
        fresh = list(
            islice(
                (one for one in _headers(root, str(folder)) if one not in seen),
                _MOST_FILES - len(seen),
            )
        )
        seen.update(fresh)
        hits = [
            one
            for one in fresh
            if name in (text := _text(root / one)) and defined.search(text)
        ]
        if hits or len(seen) >= _MOST_FILES:
            return hits[0] if len(hits) == 1 else ""
    return ""


def _headers(root: Path, folder: str) -> Iterator[str]:
    for here, folders, names in os.walk(root / folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (
            Path(here, one).relative_to(root).as_posix()
            for one in sorted(names)
            if one.endswith(_HEADERS)
        )


def _text(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        return ""
    with file.open("rb") as opened:
        return opened.read(_LARGEST).decode("latin-1")
