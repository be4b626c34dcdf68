"""Sources and headers that a build has written where the checkout has none."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler.builds.reading.scan import DEVICE_SOURCES, HEADERS, SOURCES, suffix
from crawler.builds.reading.tree import Tree, open_tree
from crawler.builds.reading.untrusted import read_left
from crawler.errors import BadDatabase, TooLarge
from crawler.model import GeneratedFile

FOLDER: Final = ".generated"
"""Where in a checkout that lies which a build has written into a folder of its own."""
MOST_FILES: Final = 4096
MOST_BYTES: Final = 32 << 20
_LARGEST: Final = 4 << 20
_LONGEST: Final = 1024
_PROBES: Final = re.compile(
    r"(?:^|/)(?:CMakeFiles|CMakeScratch|CMakeTmp|meson-private|meson-logs|conftest|_deps)(?:[./]|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a build has written into one folder, and where in the checkout its paths lie."""

    files: tuple[GeneratedFile, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    """Sources that are copies, to the file of the checkout that they are copies of."""

    def __add__(self, other: Written) -> Written:
        known = {file.path for file in self.files}
        new = tuple(file for file in other.files if file.path not in known)
        return Written(files=(*self.files, *new), copies={**other.copies, **self.copies})


class Made:
    """Where in the checkout that lies which a build has written into its folder `build`: in `folder`."""

    def __init__(self, build: str = "", folder: str = "", written: Written | None = None) -> None:
        files = [file.path for file in written.files] if written else []
        self.copies = written.copies if written else {}
        self._build, self._folder = build, folder
        self._there = {*files, *self.copies, *(above for path in files for above in _above(path))}

    def __call__(self, path: str) -> str | None:
        """Return the path in the checkout of a file or folder, `None` where nothing was kept of it."""
        if not self._build or not f"{path}/".startswith(self._build + "/"):
            return None
        placed = posixpath.normpath(posixpath.join(self._folder, path[len(self._build) + 1 :]))
        return placed if placed in self._there else None


def written(folder: Path, tree: Tree, *, below: str = "") -> Written:
    """Return what a build has left in `folder` besides the files of `tree`; it lies `below` that folder of it.

    A copy of a header includes the header, so that what stands in it is found once, and where people wrote it. What
    was translated from a device source beside it, as hipify does, is left out, as is whatever is no text of a C++
    source of at most 4 MiB, or comes after 4,096 files or 32 MiB.
    """
    found: dict[str, GeneratedFile] = {}
    copies: dict[str, str] = {}
    originals = _Originals(tree)
    room = MOST_BYTES
    for path, text in _texts(folder, tree):
        place = posixpath.normpath(posixpath.join(below, path))
        original = originals.of(path, text)
        if original and suffix(path) not in HEADERS:
            copies[place] = original
            continue
        if original:
            text = f'#include "{posixpath.relpath(original, posixpath.dirname(place) or ".")}"\n'
        room -= len(text)
        if room < 0 or len(found) == MOST_FILES:
            break
        found[place] = GeneratedFile(path=place, text=text)
    return Written(files=tuple(found.values()), copies=copies)


def lay_over(root: Path, files: Iterable[GeneratedFile]) -> None:
    """Write what builds have written into our own copy of their checkout, never through a link of that."""
    inside = root.resolve()
    for file in files:
        place = root / file.path
        if len(file.path) > _LONGEST or place.is_symlink() or not place.parent.resolve().is_relative_to(inside):
            continue
        # the build had put a folder where the checkout has a file, or a file in place of a folder
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(file.text, newline="")


def without_excess(files: Iterable[GeneratedFile]) -> tuple[GeneratedFile, ...]:
    """Return the first file of each path, as many as a database may hold, sorted by path."""
    kept: dict[str, GeneratedFile] = {}
    room = MOST_BYTES
    for file in files:
        room -= 0 if file.path in kept else len(file.text)
        if room < 0 or len(kept) == MOST_FILES:
            break
        kept.setdefault(file.path, file)
    return tuple(kept[path] for path in sorted(kept))


def _texts(folder: Path, tree: Tree) -> Iterator[tuple[str, str]]:
    try:
        left = open_tree(folder).files
    except TooLarge:
        return
    known = set(tree.files)
    for path in left:
        if path in known or suffix(path) not in SOURCES or _PROBES.search(path) or _is_translated(path, known):
            continue
        if (text := _text(folder / path)) is not None:
            yield path, text


def _is_translated(path: str, known: set[str]) -> bool:
    stem, _, extension = path.rpartition(".")
    return extension in DEVICE_SOURCES and any(f"{stem}.{other}" in known for other in DEVICE_SOURCES)


def _text(path: Path) -> str | None:
    try:
        if path.stat(follow_symlinks=False).st_size > _LARGEST:
            return None
        text = read_left(path).decode()
    except (BadDatabase, OSError, UnicodeDecodeError):
        return None
    return text if text and "\0" not in text else None


class _Originals:
    """The files of a tree by their names: a build copies what it does not translate."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._named: dict[str, list[str]] = {}
        for path in tree.files:
            if suffix(path) in SOURCES:
                self._named.setdefault(posixpath.basename(path), []).append(path)

    def of(self, path: str, text: str) -> str:
        """Return the file of the tree that has this name and text, empty where there is none."""
        same = (one for one in self._named.get(posixpath.basename(path), ()) if self._tree.text(one) == text)
        return next(same, "")


def _above(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path
