"""List and read the sources of a project that may hold parts of an operator."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SOURCE_SUFFIXES: Final = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c", ".mm")
HEADER_SUFFIXES: Final = (
    ".cuh",
    ".h",
    ".hpp",
    ".hh",
    ".hxx",
    ".inl",
    ".inc",
    ".ipp",
    ".tpp",
)
_NATIVE_SUFFIXES: Final = _SOURCE_SUFFIXES + HEADER_SUFFIXES
_MAX_TOTAL_CHARACTERS: Final = 32 << 20
_MAX_FILE_BYTES: Final = 2 << 20


@dataclass(frozen=True, slots=True)
class CodeFiles:
    """The C++ and the Python files of a tree, relative to its root."""

    native: list[str]
    """C++ files, the likeliest to matter first."""
    python: list[str]


def iter_project_files(
    root: Path, folder: str = ".", *, has_hidden_folders: bool = False
) -> Iterator[str]:
    """Yield the files of a folder and those below it, relative to the root.

    A folder's own files come before those of its subfolders, each sorted: the order of a
    folder's entries differs between file systems.
    """
    for current, subfolders, names in os.walk(root / folder):
        # in place, which the walk follows
        subfolders[:] = sorted(
            name for name in subfolders if has_hidden_folders or name[0] != "."
        )
        for name in sorted(names):
            yield Path(current, name).relative_to(root).as_posix()


def list_code_files(root: Path, launching_files: Collection[str]) -> CodeFiles:
    """Return the C++ and the Python files of a tree, but for hidden folders.

    Of the C++ files those with launches come first, then sources, then headers.
    """
    paths = list(iter_project_files(root))

    # the call graph reads files until there are too many
    def rank(path: str) -> tuple[bool, bool, str]:
        has_no_launch = path not in launching_files
        is_no_source = not path.endswith(_SOURCE_SUFFIXES)
        return has_no_launch, is_no_source, path

    native = [path for path in paths if path.lower().endswith(_NATIVE_SUFFIXES)]
    native.sort(key=rank)
    python = [path for path in paths if path.endswith(".py")]

    return CodeFiles(native, python)


def iter_texts(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of files, a character a byte, until it is too much."""
    remaining_characters = _MAX_TOTAL_CHARACTERS
    for path in paths:
        file = root / path
        if file.is_symlink() or not file.is_file():
            continue
        if file.stat().st_size > _MAX_FILE_BYTES:
            continue

        text = file.read_bytes().decode("latin-1")
        remaining_characters -= len(text)
        if remaining_characters < 0:
            return
        yield path, text
