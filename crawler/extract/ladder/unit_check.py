"""Parse the text of a kernel unit as the compiler of its device does, and list the errors."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from clang import cindex
from clang.cindex import CursorKind

from crawler.cpp.library_comment import read_recorded_libraries
from crawler.extract.clang.cursor import ClangDiagnostic, ClangUnit
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    clang_index,
    prepare_prelude,
)
from crawler.extract.ladder.precompiled_includes import (
    PrecompiledIncludes,
    drop_include_options,
    split_includes,
)
from crawler.model import Dialect
from crawler.toolchains.libclang_flags import get_unit_check_flags

UNIT_ROOT: Final = Path("/kernelset-unit")
"""The folder that a unit's text is parsed in; nothing is there."""
UNIT_PATH: Final = "unit.cu"
_FILE_NAME: Final = str(UNIT_ROOT / UNIT_PATH)
_UNDEFINED_OPTION: Final = "-Wundefined-"
LENIENT_FLAGS: Final = ("-w",)
"""To let functions pass that are never defined, as those of the host whose bodies are gone."""
_MAX_SUMMARY_CHARACTERS: Final = 160
_MAX_KNOWN_TEXTS: Final = 2_000
# CXTranslationUnit_Flags of libclang
_KEEP_GOING: Final = 0x200


class UnitError(NamedTuple):
    """An error in a unit, with the lines of the unit that it and what led to it stand in."""

    message: str
    lines: tuple[int, ...]
    """From 1; none where only headers are concerned."""
    misses_definition: bool = False
    """Whether it says that a function is never defined, which `LENIENT_FLAGS` let pass."""

    @property
    def summary(self) -> str:
        """As much of its message as a row keeps."""
        return self.message[:_MAX_SUMMARY_CHARACTERS]


_precompiled_includes = PrecompiledIncludes()
_known_errors: dict[tuple[object, ...], tuple[UnitError, ...] | None] = {}


def parse_unit_text(
    source: str,
    dialect: Dialect,
    standard: str,
    prelude: str,
    extra_flags: Sequence[str] = (),
    libraries: tuple[str, ...] = (),
) -> ClangUnit | None:
    """Return libclang's view of a unit that begins with `prelude`, or `None` where it has none.

    `extra_flags` stand for what its text leaves out: `-D` of macros, `-include` of headers, and
    `libraries` for the installed ones that it does not say it is made with.
    """
    flags = get_unit_check_flags(
        dialect, standard, libraries or read_recorded_libraries(source)
    )
    prelude_flags = _get_prelude_flags(prelude, dialect, standard)
    all_flags = (*flags, *prelude_flags, *extra_flags)
    lines, text = split_includes(source)
    precompiled = _precompiled_includes.prepare(lines, all_flags)
    if precompiled:
        further_flags = drop_include_options(extra_flags)
        clang_unit = _parse(text, (*flags, "-include-pch", precompiled, *further_flags))
        if clang_unit is not None:
            return clang_unit

    cpu_start = time.process_time()
    clang_unit = _parse(source, all_flags)
    seconds = time.process_time() - cpu_start
    _precompiled_includes.note_seconds(lines, all_flags, seconds)
    return clang_unit


def _parse(source: str, flags: Sequence[str]) -> ClangUnit | None:
    try:
        return clang_index().parse(
            _FILE_NAME,
            args=flags,
            unsaved_files=[(_FILE_NAME, source.encode("latin-1", "replace"))],
            options=_KEEP_GOING,
        )
    except cindex.TranslationUnitLoadError:
        return None


def find_unit_errors(
    source: str,
    dialect: Dialect,
    standard: str,
    prelude: str,
    extra_flags: Sequence[str] = (),
) -> tuple[UnitError, ...] | None:
    """Return the errors of a unit that begins with `prelude`, in order, or `None` where libclang
    gives nothing for it.

    They are remembered: what a header gives of its kernels is the same for each of its includers.
    """
    digest = sha256(source.encode("utf-8", "surrogatepass")).digest()
    key = (digest, dialect, standard, prelude, tuple(extra_flags))
    if key not in _known_errors:
        if len(_known_errors) >= _MAX_KNOWN_TEXTS:
            _known_errors.clear()

        unit = parse_unit_text(source, dialect, standard, prelude, extra_flags)
        _known_errors[key] = None if unit is None else tuple(list_errors(unit))

    return _known_errors[key]


def list_errors(clang_unit: ClangUnit) -> list[UnitError]:
    """Return the errors of a unit's parse, in order."""
    return [
        UnitError(
            diagnostic.spelling,
            tuple(_iter_error_lines(diagnostic)),
            diagnostic.option.startswith(_UNDEFINED_OPTION),
        )
        for diagnostic in clang_unit.diagnostics
        if diagnostic.severity >= cindex.Diagnostic.Error
        and not _misses_host_definition(clang_unit, diagnostic)
    ]


def _misses_host_definition(clang_unit: ClangUnit, error: ClangDiagnostic) -> bool:
    """Tell whether an error says that a function for the host has no definition.

    A unit leaves the bodies of those out that its device never calls.
    """
    if not error.option.startswith(_UNDEFINED_OPTION):
        return False

    # which of its places is the declaration is not the same for all of these errors
    locations = [error.location, *(note.location for note in error.children)]
    cursors = [cindex.Cursor.from_location(clang_unit, place) for place in locations]
    functions = [cursor for cursor in cursors if cursor.kind in FUNCTION_KINDS]
    return not any(
        child.kind is CursorKind.CUDADEVICE_ATTR
        for function in functions
        for child in function.get_children()
    )


def _iter_error_lines(error: ClangDiagnostic) -> Iterator[int]:
    locations = [error.location, *(note.location for note in error.children)]
    for location in locations:
        if location.file is not None and location.file.name == _FILE_NAME:
            yield location.line


@cache
def _get_prelude_flags(
    prelude: str, dialect: Dialect, standard: str
) -> tuple[str, ...]:
    """Return the flags that give a unit its prelude precompiled; none where libclang cannot
    make it.
    """
    variant = PreludeVariant(
        torch=False,
        device=dialect,
        standard=standard,
        unit_prelude=prelude,
    )
    precompiled = prepare_prelude(variant)

    return ("-include-pch", precompiled) if precompiled else ()
