"""Find kernels and launches in files that no translation unit of a commit reads.

Those with kernels are parsed by themselves; launches in the others have no kernel, and that is
their reason.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.builds.checkout.source_scan import scan_source
from crawler.cpp.source_text import SourceFiles
from crawler.extract.launches.launch_facts import collect_text_launch_sightings
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand, CompileDatabase, Launch

_SUFFIXES: Final = (
    *(".cu", ".cuh", ".hip", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"),
    *(".inl", ".inc", ".ipp", ".tcc"),
)
_HINTS: Final = (b"<<<", b"<< <", b"LaunchKernel", b"LaunchCooperativeKernel")
_LARGEST: Final = 4 << 20
_MOST_PARSED: Final = 64
_REASON: Final = "unread-file: no unit of the compile database reads it"


def find_orphan_commands(
    root: Path, database: CompileDatabase, read_files: Collection[str]
) -> Iterator[CompileCommand]:
    """Yield the commands of files with kernels that are not in `read_files`, 64 at most.

    What a build writes is not among them: of what it writes alike most is left out.
    """
    written = {file.path for file in database.generated}
    files = (
        command
        for command in database.commands
        if command.file not in read_files and command.file not in written
    )
    return islice(
        (command for command in files if _has_kernels(root / command.file)),
        _MOST_PARSED,
    )


def _has_kernels(file: Path) -> bool:
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
        return False
    return scan_source(file.read_bytes()).has_kernels


def find_orphan_launches(root: Path, read_files: Collection[str]) -> tuple[Launch, ...]:
    """Return the launches in a tree's C++ files that are not in `read_files`."""
    return tuple(
        launch for path in _paths(root, read_files) for launch in _launches(root, path)
    )


def _paths(root: Path, read: Collection[str]) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name).relative_to(root).as_posix()
            if (
                name.lower().endswith(_SUFFIXES)
                and path not in read
                and _hinted(root / path)
            ):
                yield path


def _hinted(file: Path) -> bool:
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
        return False
    content = file.read_bytes()
    return any(hint in content for hint in _HINTS)


def _launches(root: Path, path: str) -> Iterator[Launch]:
    for sighting in collect_text_launch_sightings(UnitText(SourceFiles(root), (path,))):
        yield replace(sighting.launch, reason=_REASON)
