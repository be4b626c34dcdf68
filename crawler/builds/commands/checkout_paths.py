"""Map the paths of a compile database, maybe made on another machine, to those of a checkout."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from crawler.checkout.generated_files import GeneratedPathMapper
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix

# the beginning of a path from Windows
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_MIN_MOVED_PARTS: Final = 3
"""Names at the end of a path that identify a file which an archive keeps elsewhere."""


class CheckoutPathMapper:
    """Maps a database's paths to the checkout's.

    `recorded_root` is what the database calls the checkout's root, `directory` the folder that
    relative paths mean. A path elsewhere is of the checkout where a build has written it, as
    `generated_paths` says.
    """

    def __init__(
        self,
        recorded_root: str,
        directory: str,
        *,
        is_windows: bool = False,
        generated_paths: GeneratedPathMapper | None = None,
    ) -> None:
        self._root = recorded_root.rstrip("/")
        self._directory = directory
        self._is_windows = is_windows
        self._map_generated = generated_paths or GeneratedPathMapper()

    def __call__(self, path: str) -> str | None:
        """Return the path relative to the root, `.` for the root itself, `None` outside."""
        # C:\src\k.cu lies in /C:/src
        if self._is_windows:
            path = slash_path(path)

        absolute_path = posixpath.normpath(posixpath.join(self._directory, path))
        if absolute_path == (self._root or "/"):
            return "."
        if "\0" in absolute_path:
            return None
        if not absolute_path.startswith(self._root + "/"):
            return self._map_generated(absolute_path)

        return absolute_path[len(self._root) + 1 :]


class SourceFinder:
    """Finds the file of a checkout that a path of its database means."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._files = frozenset(graph.tree.files)
        # an archive may keep whole folders elsewhere than their build looks for them
        self._files_by_ending: dict[str, str | None] = {}

        for path in graph.scans:
            if get_suffix(path) not in DEVICE_SOURCE_SUFFIXES:
                continue
            if path.count("/") < _MIN_MOVED_PARTS:
                continue

            ending = _get_ending(path)
            is_ambiguous = ending in self._files_by_ending
            self._files_by_ending[ending] = None if is_ambiguous else path

    def find_source(self, path: str | None) -> str | None:
        """Return the file, by the end of its path where the path itself does not exist."""
        if path is None or path in self._files:
            return path

        return self._files_by_ending.get(_get_ending(path))


def is_windows_path(path: str) -> bool:
    """Tell whether a path begins with the letter of a drive."""
    return bool(_DRIVE.match(path))


def slash_path(path: str) -> str:
    r"""Return a path of Windows with slashes; the drive becomes a folder: `/C:/src`."""
    slashed_path = path.replace("\\", "/")
    return f"/{slashed_path}" if is_windows_path(slashed_path) else slashed_path


def guess_recorded_root(paths: Iterable[str], files: frozenset[str], root: str) -> str:
    """Return what absolute `paths` call the checkout with these `files`.

    It is `root`, where the checkout is now, or the folder below which at least half of the
    paths are files of the checkout.
    """
    votes: Counter[str] = Counter()
    path_count = 0

    for path in paths:
        path_count += 1
        if path.startswith(root + "/"):
            # a path below our own root counts for it if the file is there
            votes[root] += path[len(root) + 1 :] in files
            continue

        recorded_root = _cut_known_ending(path, files)
        if recorded_root is not None:
            votes[recorded_root] += 1

    best_root = max(votes, key=lambda folder: (votes[folder], folder), default="")
    if best_root and votes[best_root] * 2 >= path_count:
        return best_root

    return root


def _cut_known_ending(path: str, files: frozenset[str]) -> str | None:
    """Return what stands before the longest end of a path that is a file of the checkout."""
    parts = path.lstrip("/").split("/")
    # the longest end first: `src/k.cu` before `k.cu`
    for start in range(1, len(parts)):
        if "/".join(parts[start:]) in files:
            return "/" + "/".join(parts[:start])

    return None


def _get_ending(path: str) -> str:
    return "/".join(path.split("/")[-_MIN_MOVED_PARTS:])
