"""A translation unit: its parse, and the text of the project's files that it read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crawler.extract import parse
from crawler.extract.hollow import Hollow, hollow, whole
from crawler.extract.reached import included
from crawler.extract.source import Sources, SourceText, remembered
from crawler.extract.written import Written
from crawler.model import CompileCommand, Dialect

DEVICE_WORDS: Final = {
    Dialect.CUDA: ("__CUDA_ARCH__",),
    Dialect.HIP: ("__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__", "__AMDGCN__", "__AMDGPU__", "__gfx", "__GFX"),
}
"""Beginnings of what is defined on the devices of a dialect alone."""


@dataclass(frozen=True, slots=True)
class Translation:
    """One unit as libclang shows it; `unit` never leaves this package."""

    root: Path
    command: CompileCommand
    unit: Any
    written: Written
    hollow: Hollow
    torch: bool
    """Whether the declarations of PyTorch are in the parse."""
    library: bool
    """Whether the C++ library's headers for a host are in it from the beginning."""
    device: Dialect | None
    """The dialect whose compilers for a device see it so; none where a compiler for the host does."""

    def on_device(self) -> Any:
        """Return the same unit as a compiler for the device sees it."""
        return self._again(device=self.command.dialect)

    def on_host(self) -> Any:
        """Return the same unit as a compiler for the host sees it."""
        return self._again()

    def completed_by(self, text: str, behind: str = "") -> Any:
        """Return the same unit with declarations before it, which its own headers lack, and others behind it."""
        return self._again(also=text, behind=behind)

    def _again(self, *, device: Dialect | None = None, also: str = "", behind: str = "") -> Any:
        files = dict(self.hollow.files)
        if behind:
            path = self.command.file
            raw = files.get(path) or self.written.sources[path].raw.encode("latin-1")
            files[path] = raw + behind.encode("latin-1", "replace")
        return parse.parse(
            self.root,
            self.command,
            torch=self.torch,
            library=self.library,
            device=device,
            instead=files,
            also=also,
        )


def translation(root: Path, command: CompileCommand, sources: Sources, *, entire: bool = False) -> Translation:
    """Parse the unit of a command, its device code hollow unless it must be `entire`; raises `ParseFailed`.

    PyTorch is in the parse where one of its files names it, and the macros of a device where one names those; which
    its files are the text tells before the parse does.
    """
    written = Written(sources, included(command, sources))
    seen, device = _seen(written, entire=entire), _device(written, command)
    torch = _speaks_torch(written.files, sources)
    library = any(_uses_library(sources[path]) for path in written.files)
    unit = parse.parse(root, command, torch=torch, library=library, device=device, instead=seen.files)
    files = _files(unit, root, command)
    if files != written.files:
        written = Written(sources, files)
    if _speaks_torch(files, sources) != torch or not seen.files.keys() >= whole(written).files.keys():
        torch, seen = _speaks_torch(files, sources), _seen(written, entire=entire)
        unit = parse.parse(root, command, torch=torch, library=library, device=device, instead=seen.files)
        written = Written(sources, _files(unit, root, command))
    return Translation(root, command, unit, written, seen, torch, library, device)


def _device(written: Written, command: CompileCommand) -> Dialect | None:
    """Return the dialect of a unit that says something to compilers for its devices alone."""
    words = DEVICE_WORDS[command.dialect] if command.dialect else ()
    return command.dialect if any(written.mentions(word) for word in words) else None


def _seen(written: Written, *, entire: bool) -> Hollow:
    names = (found.name for listed in written.definitions.values() for found in listed)
    return whole(written) if entire else hollow(written, written.using(names))


def _speaks_torch(files: Iterable[str], sources: Sources) -> bool:
    return any(_names_torch(sources[path]) for path in files)


@remembered
def _names_torch(source: SourceText) -> bool:
    return parse.speaks_torch(source.raw)


@remembered
def _uses_library(source: SourceText) -> bool:
    return parse.uses_library(source.raw)


def _files(unit: Any, root: Path, command: CompileCommand) -> tuple[str, ...]:
    """Return the project's files of a unit, included ones before those that include them."""
    entered: list[tuple[int, str]] = []
    for inclusion in unit.get_includes():
        path = parse.relative(inclusion.include.name, root, command.directory)
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
