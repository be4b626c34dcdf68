"""Parse a translation unit and collect the text of the project files that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crawler.cpp.source_text import SourceFiles, SourceText, cache_per_source
from crawler.extract.clang import parse
from crawler.extract.syntax.included_files import find_included_files
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.elide_bodies import (
    ElidedFiles,
    elide_device_bodies,
    keep_all_bodies,
)
from crawler.model import CompileCommand, Dialect

DEVICE_MACRO_PREFIXES: Final = {
    Dialect.CUDA: ("__CUDA_ARCH__",),
    Dialect.HIP: (
        "__CUDA_ARCH__",
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
    """One unit as libclang shows it; `unit` never leaves this package."""

    root: Path
    command: CompileCommand
    clang_unit: Any
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

    def reparse_for_device(self) -> Any:
        """Return the same unit as a compiler for the device sees it."""
        return self._again(device=self.command.dialect)

    def reparse_for_host(self) -> Any:
        """Return the same unit as a compiler for the host sees it."""
        return self._again()

    def reparse_with_declarations(self, preceding: str, trailing: str = "") -> Any:
        """Return the same unit with declarations before it, which its own headers lack, and
        others behind it.
        """
        return self._again(also=preceding, behind=trailing)

    def _again(
        self, *, device: Dialect | None = None, also: str = "", behind: str = ""
    ) -> Any:
        files = dict(self.elided_files.files)
        if behind:
            path = self.command.file
            raw = files.get(path) or self.unit_text.sources[path].raw.encode("latin-1")
            files[path] = raw + behind.encode("latin-1", "replace")
        return parse.parse_unit(
            self.root,
            self.command,
            has_torch=self.has_torch,
            has_host_library=self.has_host_library,
            device_dialect=device,
            replaced_files=files,
            prepended_text=also,
        )


def load_translation_unit(
    root: Path,
    command: CompileCommand,
    sources: SourceFiles,
    *,
    keep_bodies: bool = False,
) -> TranslationUnit:
    """Parse the unit of a command, its device code hollow unless it must be `keep_bodies`;
    raises `ParseFailed`.

    PyTorch is in the parse where one of its files names it, and the macros of a device where
    one names those; which
    its files are the text tells before the parse does.
    """
    written = UnitText(sources, find_included_files(command, sources))
    seen, device = _seen(written, entire=keep_bodies), _device(written, command)
    torch = _speaks_torch(written.files, sources)
    library = any(_uses_library(sources[path]) for path in written.files)
    unit = parse.parse_unit(
        root,
        command,
        has_torch=torch,
        has_host_library=library,
        device_dialect=device,
        replaced_files=seen.files,
    )
    files = _files(unit, root, command)
    if files != written.files:
        written = UnitText(sources, files)
    if (
        _speaks_torch(files, sources) != torch
        or not seen.files.keys() >= keep_all_bodies(written).files.keys()
    ):
        torch, seen = _speaks_torch(files, sources), _seen(written, entire=keep_bodies)
        unit = parse.parse_unit(
            root,
            command,
            has_torch=torch,
            has_host_library=library,
            device_dialect=device,
            replaced_files=seen.files,
        )
        written = UnitText(sources, _files(unit, root, command))
    return TranslationUnit(root, command, unit, written, seen, torch, library, device)


def _device(written: UnitText, command: CompileCommand) -> Dialect | None:
    """Return the dialect of a unit that says something to compilers for its devices alone."""
    words = DEVICE_MACRO_PREFIXES[command.dialect] if command.dialect else ()
    return (
        command.dialect if any(written.contains_text(word) for word in words) else None
    )


def _seen(written: UnitText, *, entire: bool) -> ElidedFiles:
    names = (found.name for listed in written.definitions.values() for found in listed)
    return (
        keep_all_bodies(written)
        if entire
        else elide_device_bodies(written, written.find_use_words(names))
    )


def _speaks_torch(files: Iterable[str], sources: SourceFiles) -> bool:
    return any(_names_torch(sources[path]) for path in files)


@cache_per_source
def _names_torch(source: SourceText) -> bool:
    return parse.uses_torch(source.raw)


@cache_per_source
def _uses_library(source: SourceText) -> bool:
    return parse.uses_large_std_headers(source.raw)


def _files(unit: Any, root: Path, command: CompileCommand) -> tuple[str, ...]:
    """Return the project's files of a unit, included ones before those that include them."""
    entered: list[tuple[int, str]] = []
    for inclusion in unit.get_includes():
        path = parse.path_in_checkout(inclusion.include.name, root, command.directory)
        if path is not None:
            entered.append((inclusion.depth, path))
    closed: list[str] = []
    stack: list[tuple[int, str]] = []
    for depth, path in entered:
        while stack and stack[-1][0] >= depth:
            closed.append(stack.pop()[1])
        stack.append((depth, path))
    closed += [path for _, path in reversed(stack)]
    return tuple(dict.fromkeys((*closed, command.file)))
