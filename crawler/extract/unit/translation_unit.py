"""Parse a translation unit and collect the text of the project files that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from crawler.cpp.files.source_text import SourceFiles, SourceText, cache_per_source
from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.syntax.included_files import find_included_files
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.body_elision import (
    ElidedFiles,
    elide_device_bodies,
    keep_all_bodies,
)
from crawler.model import CompileCommand, Dialect

CUDA_ARCH: Final = "__CUDA_ARCH__"
DEVICE_ONLY_MACRO_PREFIXES: Final = {
    Dialect.CUDA: (CUDA_ARCH,),
    Dialect.HIP: (
        CUDA_ARCH,
        "__HIP_DEVICE_COMPILE__",
        "__AMDGCN__",
        "__AMDGPU__",
        "__gfx",
        "__GFX",
    ),
}
"""Beginnings of what is defined on the devices of a dialect alone."""


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """One unit as libclang shows it; `clang_unit` never leaves this package."""

    root: Path
    command: CompileCommand
    clang_unit: ClangUnit
    unit_text: UnitText
    elided_files: ElidedFiles
    has_torch: bool
    """Whether the declarations of PyTorch are in the parse."""
    has_host_library: bool
    """Whether the C++ library's headers for a host are in it from the beginning."""
    device_dialect: Dialect | None
    """The dialect whose compilers for a device see it so; none where a compiler for the host
    does.
    """
    libraries: tuple[str, ...] = ()
    """Header libraries that it was parsed with, where our shims of them do not do."""
    assumed_types: Mapping[str, str] = field(default_factory=dict)
    """Name to declaration: of types that missing headers would have declared."""

    def reparse_for_device(self) -> ClangUnit:
        """Return the same unit as a compiler for the device sees it."""
        return self._reparse(self.elided_files.files, device=self.command.dialect)

    def reparse_for_architecture(self, architecture: int) -> ClangUnit:
        """Return the same unit as a compiler for a device with this `__CUDA_ARCH__` sees it."""
        defines = f"#undef {CUDA_ARCH}\n#define {CUDA_ARCH} {architecture}\n"
        return self._reparse(
            self.elided_files.files, device=self.command.dialect, preceding=defines
        )

    def reparse_for_host(self) -> ClangUnit:
        """Return the same unit as a compiler for the host sees it."""
        return self._reparse(self.elided_files.files)

    def reparse_with_declarations(
        self, preceding: str, trailing: str = ""
    ) -> ClangUnit:
        """Return the same unit with declarations before it, which its own headers lack, and
        others behind it.
        """
        files = dict(self.elided_files.files)
        if trailing:
            path = self.command.file
            # as the parse sees the file: elided, or as it is on disk
            content = files.get(path)
            if not content:
                content = self.unit_text.sources[path].raw.encode("latin-1")

            files[path] = content + trailing.encode("latin-1", "replace")

        return self._reparse(files, preceding=preceding)

    def _reparse(
        self,
        files: Mapping[str, bytes],
        *,
        device: Dialect | None = None,
        preceding: str = "",
    ) -> ClangUnit:
        return parse.parse_unit(
            self.root,
            self.command,
            has_torch=self.has_torch,
            has_host_library=self.has_host_library,
            device_dialect=device,
            libraries=self.libraries,
            replaced_files=files,
            prepended_text=render_assumed_types(self.assumed_types) + preceding,
        )


def render_assumed_types(assumed_types: Mapping[str, str]) -> str:
    """Return the declarations as a text to read before a unit."""
    return "".join(f"{declaration}\n" for declaration in assumed_types.values())


def load_translation_unit(
    root: Path,
    command: CompileCommand,
    sources: SourceFiles,
    *,
    keep_bodies: bool = False,
    libraries: tuple[str, ...] = (),
    assumed_types: Mapping[str, str] = MappingProxyType({}),
) -> TranslationUnit:
    """Parse the unit of a command, its device code hollow unless it must `keep_bodies`; raises
    `ParseFailed`.

    PyTorch is in the parse where one of its files names it, and the macros of a device where
    one names those; which its files are the text tells before the parse does. `libraries` are
    those to read as they are installed, and `assumed_types` are declared before everything.
    """
    unit_text = UnitText(sources, find_included_files(command, sources))
    device_dialect = _find_device_dialect(unit_text, command)
    has_host_library = any(
        _uses_host_library(sources[path]) for path in unit_text.files
    )

    parse_files = partial(
        parse.parse_unit,
        root,
        command,
        has_host_library=has_host_library,
        device_dialect=device_dialect,
        libraries=libraries,
        prepended_text=render_assumed_types(assumed_types),
    )
    reading = _parse_text(unit_text, parse_files, keep_bodies=keep_bodies)

    files = _list_project_files(reading.clang_unit, root, command)
    # the text follows every `#include`, the parse only those that conditions leave
    if files != unit_text.files:
        unit_text = UnitText(sources, files)

    if not reading.suits(unit_text):
        reading = _parse_text(unit_text, parse_files, keep_bodies=keep_bodies)
        files = _list_project_files(reading.clang_unit, root, command)
        unit_text = UnitText(sources, files)

    return TranslationUnit(
        root=root,
        command=command,
        clang_unit=reading.clang_unit,
        unit_text=unit_text,
        elided_files=reading.elided_files,
        has_torch=reading.has_torch,
        has_host_library=has_host_library,
        device_dialect=device_dialect,
        libraries=libraries,
        assumed_types=assumed_types,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A parse, and what the text of its files led it to be made with."""

    clang_unit: ClangUnit
    elided_files: ElidedFiles
    has_torch: bool

    def suits(self, unit_text: UnitText) -> bool:
        """Tell whether the files that the parse read would have led to the same parse.

        It may have read other files than the text led to expect.
        """
        required_files = keep_all_bodies(unit_text).files.keys()
        has_all_files = self.elided_files.files.keys() >= required_files
        return has_all_files and _any_names_torch(unit_text) == self.has_torch


def _parse_text(
    unit_text: UnitText, parse_files: Callable[..., ClangUnit], *, keep_bodies: bool
) -> _Reading:
    elided_files = _elide(unit_text, keep_bodies=keep_bodies)
    has_torch = _any_names_torch(unit_text)
    clang_unit = parse_files(has_torch=has_torch, replaced_files=elided_files.files)
    return _Reading(clang_unit, elided_files, has_torch)


def _find_device_dialect(
    unit_text: UnitText, command: CompileCommand
) -> Dialect | None:
    """Return the dialect of a unit that says something to compilers for its devices alone."""
    if command.dialect is None:
        return None

    prefixes = DEVICE_ONLY_MACRO_PREFIXES[command.dialect]
    if any(unit_text.contains_text(prefix) for prefix in prefixes):
        return command.dialect

    return None


def _elide(unit_text: UnitText, *, keep_bodies: bool) -> ElidedFiles:
    if keep_bodies:
        return keep_all_bodies(unit_text)

    kernel_names = (
        definition.name
        for definitions in unit_text.definitions.values()
        for definition in definitions
    )

    return elide_device_bodies(unit_text, unit_text.find_use_words(kernel_names))


def _any_names_torch(unit_text: UnitText) -> bool:
    return any(_names_torch(unit_text.sources[path]) for path in unit_text.files)


@cache_per_source
def _names_torch(source: SourceText) -> bool:
    return parse.uses_torch(source.raw)


@cache_per_source
def _uses_host_library(source: SourceText) -> bool:
    return parse.uses_large_std_headers(source.raw)


def _list_project_files(
    clang_unit: ClangUnit, root: Path, command: CompileCommand
) -> tuple[str, ...]:
    """Return the project's files of a unit, included ones before those that include them."""
    files: list[str] = []
    open_files: list[tuple[int, str]] = []
    # libclang lists files as they are entered; one ends where the next is no deeper
    for inclusion in clang_unit.get_includes():
        path = parse.path_in_checkout(
            inclusion.include.name,
            root,
            command.directory,
        )
        if path is None:
            continue

        # a file of the same depth, or of a lesser one, ends those before it
        while open_files and open_files[-1][0] >= inclusion.depth:
            files.append(open_files.pop()[1])

        open_files.append((inclusion.depth, path))

    files += [path for _, path in reversed(open_files)]

    return tuple(dict.fromkeys((*files, command.file)))
