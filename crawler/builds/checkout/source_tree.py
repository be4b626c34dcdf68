"""List and read the files of a checkout."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.errors import NotFound, TooLarge
from crawler.model import GeneratedFile

MAX_FILES: Final = 400_000
MAX_READ_BYTES: Final = 4 << 20
_HIDDEN: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".tox"}
)
_VENDORED: Final = frozenset(
    {
        "3rd_party",
        "3rdparty",
        "third_party",
        "thirdparty",
        "third-party",
        "external",
        "externals",
        "extern",
    }
    | {"vendor", "vendored", "deps", "dependencies", "submodules", "subprojects"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTree:
    """A checkout's root and its regular files, relative to it and sorted, those among them that
    a build has written.
    """

    root: Path
    files: tuple[str, ...]
    generated: tuple[GeneratedFile, ...] = ()

    def read_text(self, path: str) -> str:
        """Return the first 4 MiB of a file; what cannot be read or is no UTF-8 is left out,
        never an error.
        """
        return self.read_bytes(path).decode("utf-8", "replace")

    def read_bytes(self, path: str) -> bytes:
        """Return the first 4 MiB of a file, empty where it cannot be read."""
        at = (
            bisect_left(self.generated, path, key=lambda file: file.path)
            if self.generated
            else 0
        )
        if self.generated[at : at + 1] and self.generated[at].path == path:
            return self.generated[at].text.encode()
        try:
            with (self.root / path).open("rb") as stream:
                return stream.read(MAX_READ_BYTES)
        except (OSError, ValueError):
            return b""

    def with_generated(self, files: Iterable[GeneratedFile]) -> SourceTree:
        """Return the tree with what a build has written; what it has already stays as it is."""
        known = set(self.files)
        found = {
            file.path: file for file in reversed(tuple(files)) if file.path not in known
        }
        if not found:
            return self
        generated = sorted(
            (*self.generated, *found.values()), key=lambda file: file.path
        )
        return replace(
            self, files=tuple(sorted(known | found.keys())), generated=tuple(generated)
        )

    def find_named(self, *names: str) -> tuple[str, ...]:
        """Return the files of these names (not paths), nearest to the root first."""
        wanted = set(names)
        found = (path for path in self.files if path.rpartition("/")[2] in wanted)
        return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


def open_tree(root: Path) -> SourceTree:
    """List the regular files below `root`; links that leave it, and version control's own
    files, are left out.

    Raises `NotFound` where there is no such folder, and `TooLarge`.
    """
    if not root.is_dir():
        raise NotFound(
            f"{root} is not a folder: name the folder of a project", code="no-folder"
        )
    resolved = root.resolve()
    files = []
    for path in _walk(str(resolved), str(resolved)):
        files.append(path)
        if len(files) > MAX_FILES:
            raise TooLarge(
                f"{root} has more than {MAX_FILES} files: crawl a part of it"
            )
    return SourceTree(root=resolved, files=tuple(sorted(files)))


def is_vendored(path: str) -> bool:
    """Tell whether a file belongs to another project that this one carries along."""
    return any(part.lower() in _VENDORED for part in PurePosixPath(path).parts[:-1])


def _walk(folder: str, root: str) -> Iterator[str]:
    pending = [folder]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _HIDDEN:
                    pending.append(entry.path)
            elif _regular(entry, root) and entry.name.isprintable():
                yield entry.path[len(root) :].lstrip("/")


def _regular(entry: os.DirEntry[str], root: str) -> bool:
    if not entry.is_symlink():
        return entry.is_file(follow_symlinks=False)
    return entry.is_file() and os.path.realpath(entry.path).startswith(root + "/")
