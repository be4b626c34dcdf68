"""Keep the guessed instantiations that compile, according to libclang."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from clang import cindex

from crawler.extract.clang.cursor import ClangDiagnostic
from crawler.extract.clang.precompiled_preludes import (
    NO_MODULES_FLAGS,
    clang_index,
    clang_resource_folder,
    scratch_folder,
)
from crawler.extract.closure.emit_unit import (
    render_explicit_instantiation,
    render_unit_source,
)
from crawler.model import Closure, Dialect, Instantiation
from crawler.toolchains.clang_flags import get_compile_flags

_TARGETS: Final = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}
_MAX_ROUNDS: Final = 4
# CXTranslationUnit_Flags of libclang
_KEEP_GOING: Final = 0x200
_INCOMPLETE: Final = 0x02
_FOR_SERIALIZATION: Final = 0x10
_FILE_NAME: Final = "tried.cu"


def select_compiling_instantiations(
    closure: Closure,
    dialect: Dialect,
    kernel_name: str,
    candidates: Sequence[Instantiation],
    standard: str,
) -> tuple[Instantiation, ...]:
    """Return those of the instantiations that compile together in one unit of the closure.

    An error shows for the first one alone that needs what is wrong, so that the others are
    looked at again without it.
    """
    # as many rounds as errors may hide behind each other
    remaining = tuple(candidates)
    for _ in range(_MAX_ROUNDS):
        lines = [
            render_explicit_instantiation(
                kernel_name, candidate.arguments, closure.owner_parameters
            )
            for candidate in remaining
        ]

        source = render_unit_source(closure, lines, standard)
        broken_lines = _find_broken_lines(
            source,
            len(lines),
            dialect,
            standard,
            closure.includes[0],
        )

        if not broken_lines:
            return remaining

        remaining = tuple(
            candidate
            for index, candidate in enumerate(remaining)
            if index not in broken_lines
        )

        if not remaining:
            break

    return ()


def _find_broken_lines(
    source: str, line_count: int, dialect: Dialect, standard: str, prelude: str
) -> Collection[int]:
    """Return which of a unit's last lines, as many as `line_count`, do not compile: all, where
    something else does not.
    """
    all_lines = range(line_count)
    # the unit ends with these lines and one line end
    first_line = source.count("\n") - line_count + 1
    flags = [
        *_get_flags(dialect, standard),
        *_get_prelude_flags(prelude, dialect, standard),
    ]

    try:
        unit = clang_index().parse(
            _FILE_NAME,
            args=flags,
            unsaved_files=[(_FILE_NAME, source.encode("latin-1", "replace"))],
            options=_KEEP_GOING,
        )
    except cindex.TranslationUnitLoadError:
        return all_lines

    broken_lines: set[int] = set()
    for error in unit.diagnostics:
        if error.severity < cindex.Diagnostic.Error:
            continue

        for line in _list_error_lines(error):
            if line - first_line in all_lines:
                broken_lines.add(line - first_line)

        # what led to an error is not told again for the next one that it led to: an error
        # without a line of ours counts only where none came before it
        if not broken_lines:
            return all_lines

    return broken_lines


def _list_error_lines(error: ClangDiagnostic) -> list[int]:
    """Return the lines of a unit that an error, and what led to it, stands in."""
    locations = [error.location, *(note.location for note in error.children)]
    return [
        location.line
        for location in locations
        if location.file is not None and location.file.name == _FILE_NAME
    ]


@cache
def _get_flags(dialect: Dialect, standard: str) -> tuple[str, ...]:
    compile_flags = get_compile_flags(
        dialect,
        _TARGETS[dialect],
        standard,
    )
    return (
        *(flag for flag in compile_flags if flag != "-S"),
        "-w",
        "-fsyntax-only",
        # libclang does not know its own folder
        "-ccc-install-dir",
        "/usr/bin",
        "-resource-dir",
        clang_resource_folder(),
        *NO_MODULES_FLAGS,
    )


@cache
def _get_prelude_flags(
    prelude: str, dialect: Dialect, standard: str
) -> tuple[str, ...]:
    """Return the flags that give a unit its prelude precompiled; none where libclang cannot
    make it.
    """
    prelude_name = prelude.strip("<>").replace("/", "-")
    name = f"{prelude_name}-{dialect.value}-{standard}"
    folder = Path(scratch_folder().name)
    header = folder / f"{name}.h"
    precompiled = folder / f"{name}.pch"
    header.write_text(f"#include {prelude}\n")
    flags = [*_get_flags(dialect, standard), "-fpch-instantiate-templates"]
    try:
        unit = clang_index().parse(
            str(header),
            args=flags,
            options=_INCOMPLETE | _FOR_SERIALIZATION,
        )
        unit.save(str(precompiled))
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return ()

    return ("-include-pch", str(precompiled))
