"""Keep the guessed instantiations that compile, according to libclang."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from clang import cindex

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
_MOST_ROUNDS: Final = 4
_KEEP_GOING: Final = 0x200
_FOR_SERIALISATION: Final = 0x02 | 0x10
_NAME: Final = "tried.cu"


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
    left = tuple(candidates)
    for _ in range(_MOST_ROUNDS):
        lines = [
            render_explicit_instantiation(
                kernel_name, one.arguments, closure.owner_parameters
            )
            for one in left
        ]
        broken = _broken(
            render_unit_source(closure, lines, standard),
            len(lines),
            dialect,
            standard,
            closure.includes[0],
        )
        if not broken:
            return left
        left = tuple(one for at, one in enumerate(left) if at not in broken)
        if not left:
            break
    return ()


def _broken(
    source: str, count: int, dialect: Dialect, standard: str, prelude: str
) -> Collection[int]:
    """Return which of a unit's last lines, as many as `count`, do not compile: all, where
    something else does not.
    """
    every = range(count)
    first = source.count("\n") - count + 1
    try:
        unit = clang_index().parse(
            _NAME,
            args=[*_flags(dialect, standard), *_made(prelude, dialect, standard)],
            unsaved_files=[(_NAME, source.encode("latin-1", "replace"))],
            options=_KEEP_GOING,
        )
    except cindex.TranslationUnitLoadError:
        return every
    found: set[int] = set()
    for error in unit.diagnostics:
        if error.severity >= cindex.Diagnostic.Error:
            found |= {line - first for line in _lines(error)}.intersection(every)
            if not found:
                return every
    return (
        found  # what led to an error is not told again for the next one that it led to
    )


def _lines(error: Any) -> list[int]:
    """Return the lines of a unit that an error, and what led to it, stands in."""
    places = [error.location, *(note.location for note in error.children)]
    return [
        place.line
        for place in places
        if place.file is not None and place.file.name == _NAME
    ]


@cache
def _flags(dialect: Dialect, standard: str) -> tuple[str, ...]:
    flags = (
        flag
        for flag in get_compile_flags(dialect, _TARGETS[dialect], standard)
        if flag != "-S"
    )
    # libclang does not know its own folder
    return (
        *flags,
        "-w",
        "-fsyntax-only",
        "-ccc-install-dir",
        "/usr/bin",
        "-resource-dir",
        clang_resource_folder(),
        *NO_MODULES_FLAGS,
    )


@cache
def _made(prelude: str, dialect: Dialect, standard: str) -> tuple[str, ...]:
    """Return the flags that give a unit its prelude precompiled; none where libclang cannot
    make it.
    """
    name = "-".join((prelude.strip("<>").replace("/", "-"), dialect.value, standard))
    header, target = (
        Path(scratch_folder().name, f"{name}.h"),
        Path(scratch_folder().name, f"{name}.pch"),
    )
    header.write_text(f"#include {prelude}\n")
    arguments = [*_flags(dialect, standard), "-fpch-instantiate-templates"]
    try:
        unit = clang_index().parse(
            str(header), args=arguments, options=_FOR_SERIALISATION
        )
        unit.save(str(target))
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return ()
    return ("-include-pch", str(target))
