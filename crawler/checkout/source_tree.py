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
_SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".tox"}
)
_VENDOR_FOLDERS: Final = frozenset(
    {
        "3rd_party",
        "3rdparty",
        "third_party",
        "thirdparty",
        "third-party",
        "external",
        "externals",
        "extern",
        "vendor",
        "vendored",
        "deps",
        "dependencies",
        "submodules",
        "subprojects",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTree:
    """A checkout's root, and its regular files relative to it in sorted order."""

    root: Path
    files: tuple[str, ...]
    generated: tuple[GeneratedFile, ...] = ()
    """Those of `files` that a build has written, sorted by path; they need not be on disk."""

    def read_text(self, path: str) -> str:
        """Return the first 4 MiB of a file, with U+FFFD for what is not UTF-8.

        Empty where the file cannot be read.
        """
        return self.read_bytes(path).decode("utf-8", "replace")

    def read_bytes(self, path: str) -> bytes:
        """Return the first 4 MiB of a file, empty where it cannot be read."""
        generated_file = self._find_generated_file(path)
        if generated_file is not None:
            return generated_file.text.encode()

        try:
            with (self.root / path).open("rb") as stream:
                return stream.read(MAX_READ_BYTES)
        except (OSError, ValueError):
            # ValueError: a NUL character in the path
            return b""

    def with_generated(self, files: Iterable[GeneratedFile]) -> SourceTree:
        """Return the tree with files that a build has written; existing files stay as they are."""
        existing_paths = set(self.files)
        new_files: dict[str, GeneratedFile] = {}

        for file in files:
            if file.path not in existing_paths:
                new_files.setdefault(file.path, file)

        if not new_files:
            return self

        all_paths = existing_paths | new_files.keys()
        generated = [*self.generated, *new_files.values()]
        return replace(
            self,
            files=tuple(sorted(all_paths)),
            generated=tuple(sorted(generated, key=_get_path)),
        )

    def find_named(self, *names: str) -> tuple[str, ...]:
        """Return the files of these names (not paths), nearest to the root first."""
        searched_names = set(names)
        paths = (
            path for path in self.files if path.rpartition("/")[2] in searched_names
        )
        return tuple(sorted(paths, key=lambda path: (path.count("/"), path)))

    def _find_generated_file(self, path: str) -> GeneratedFile | None:
        position = bisect_left(self.generated, path, key=_get_path)
        if position == len(self.generated):
            return None

        file = self.generated[position]
        return file if file.path == path else None


def open_tree(root: Path) -> SourceTree:
    """List the regular files below `root`.

    Links that leave the tree, and version control's own files, are left out. Raises
    `NotFound` where there is no such folder, and `TooLarge`.
    """
    if not root.is_dir():
        raise NotFound(
            f"{root} is not a folder: name the folder of a project", code="no-folder"
        )

    resolved_root = root.resolve()
    files = []

    for path in _iter_regular_files(str(resolved_root)):
        files.append(path)
        if len(files) > MAX_FILES:
            raise TooLarge(
                f"{root} has more than {MAX_FILES} files: crawl a part of it"
            )

    return SourceTree(root=resolved_root, files=tuple(sorted(files)))


def is_vendored(path: str) -> bool:
    """Tell whether a file belongs to another project that this one carries along."""
    # the file itself may be called so: `src/vendor.cu`
    folders = PurePosixPath(path).parts[:-1]
    return any(folder.lower() in _VENDOR_FOLDERS for folder in folders)


def _get_path(file: GeneratedFile) -> str:
    return file.path


def _iter_regular_files(root: str) -> Iterator[str]:
    pending = [root]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue

        for entry in entries:
            # a link to a folder is no folder: it may lead in circles
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS:
                    pending.append(entry.path)
            # control characters in a name would reach terminals by way of messages
            elif _is_regular_file(entry, root) and entry.name.isprintable():
                yield entry.path[len(root) :].lstrip("/")


def _is_regular_file(entry: os.DirEntry[str], root: str) -> bool:
    if not entry.is_symlink():
        return entry.is_file(follow_symlinks=False)
    try:
        leads_to_file = entry.is_file()
    except OSError:
        # a link that leads in circles, or where nobody may look
        return False
    if not leads_to_file:
        return False

    return os.path.realpath(entry.path).startswith(root + "/")
