"""Find kernels and launches in files that no translation unit of a commit reads.

Those with kernels are parsed by themselves; launches in the others have no kernel, and that is
their reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.checkout.source_scan import scan_source
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.launches.launch_facts import collect_text_launch_sightings
from crawler.extract.operators.project_files import iter_project_files
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand, CompileDatabase, Launch

_SUFFIXES: Final = (
    ".cu",
    ".cuh",
    ".hip",
    ".c",
    ".cc",
    ".cpp",
    ".cxx",
    ".h",
    ".hh",
    ".hpp",
    ".hxx",
    ".inl",
    ".inc",
    ".ipp",
    ".tcc",
)
_LAUNCH_HINTS: Final = (b"<<<", b"<< <", b"LaunchKernel", b"LaunchCooperativeKernel")
_MAX_FILE_BYTES: Final = 4 << 20
_MAX_COMMANDS: Final = 64
_REASON: Final = "unread-file: no unit of the compile database reads it"


def find_orphan_commands(
    root: Path, database: CompileDatabase, read_files: Collection[str]
) -> Iterator[CompileCommand]:
    """Yield the commands of files with kernels that are not in `read_files`, 64 at most.

    What a build writes is not among them: of what it writes alike most is left out.
    """
    generated_paths = {file.path for file in database.generated}
    # a generator: a tree has thousands of files, and each is read
    commands = (
        command
        for command in database.commands
        if command.file not in read_files
        and command.file not in generated_paths
        and _has_kernels(root / command.file)
    )

    return islice(commands, _MAX_COMMANDS)


def find_orphan_launches(root: Path, read_files: Collection[str]) -> tuple[Launch, ...]:
    """Return the launches in a tree's C++ files that are not in `read_files`."""
    launches: list[Launch] = []
    for path in _iter_unread_files(root, read_files):
        unit_text = UnitText(SourceFiles(root), (path,))
        for sighting in collect_text_launch_sightings(unit_text):
            launches.append(replace(sighting.launch, reason=_REASON))

    return tuple(launches)


def _iter_unread_files(root: Path, read_files: Collection[str]) -> Iterator[str]:
    """Yield the unread C++ files of a tree that may hold a launch."""
    for path in iter_project_files(root, has_hidden_folders=True):
        if path in read_files or not path.lower().endswith(_SUFFIXES):
            continue

        if _has_launch_hint(root / path):
            yield path


def _has_kernels(file: Path) -> bool:
    return _is_readable(file) and scan_source(file.read_bytes()).has_kernels


def _has_launch_hint(file: Path) -> bool:
    if not _is_readable(file):
        return False

    content = file.read_bytes()
    return any(hint in content for hint in _LAUNCH_HINTS)


def _is_readable(file: Path) -> bool:
    """Tell whether a file is a plain one of a size that a parse takes."""
    if file.is_symlink() or not file.is_file():
        return False

    return file.stat().st_size <= _MAX_FILE_BYTES
