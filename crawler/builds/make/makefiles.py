"""Find the Makefiles of a tree, and how to call make for its device code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from crawler.builds.make.make_call import MakeCall
from crawler.builds.make.make_variables import choose_switches, list_goals
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.checkout.source_tree import SourceTree, is_vendored

# `GNUmakefile`, `Makefile.cuda`, `gpu.makefile`
_MAKEFILE_NAME: Final = re.compile(
    r"(?:GNU)?[Mm]akefile(?:[.\-_][\w.-]+)?|(?:[\w-]+\.)makefile"
)
# Templates of other tools, parts that others include, and Makefiles for other systems.
_NO_MAKEFILE_SUFFIX: Final = re.compile(
    r"\.(?:am|in|win\w*|vc|msvc|nmake|bak|orig|inc|include|mingw\w*|osx|mac\w*|darwin"
    r"|py|md|txt)$"
)
# In the order in which GNU make looks for them.
_DEFAULT_NAMES: Final = ("GNUmakefile", "makefile", "Makefile")
# a Makefile's text: a word anywhere in it has it looked at, and no more
DEVICE_WORDS: Final = re.compile(
    r"nvcc|hipcc|\.cu\b|\.hip\b|cuda|rocm|\bhip\b", re.IGNORECASE
)
_COMPILER_WORDS: Final = re.compile(
    r"nvcc|hipcc|\.cu\b|\.hip\b|\$[({](?:CXX|CC|MAKE)[)}]|g\+\+|gcc|clang"
)
# A rule for all files of a kind, which names none of them: `%.o: %.cu`, `$(wildcard *.cc)`.
_FILE_PATTERN: Final = re.compile(
    r"[%*]\.(?:cu|hip|cpp|cc|cxx|c)\b|\b(?:find|dir|wildcard)\b"
)
_MAX_MAKEFILES_PER_FOLDER: Final = 4
_MAX_INCLUDED_FILES: Final = 64


class Makefiles:
    """The folders of a tree that have a Makefile, and the device units below each.

    `tree` is the tree of the Makefiles, where a build has written them into a copy.
    """

    def __init__(self, graph: IncludeGraph, tree: SourceTree | None = None) -> None:
        self._graph = graph
        self._tree = tree or graph.tree
        self.names_by_folder = _find_makefiles(self._tree)

    @cached_property
    def device_units(self) -> frozenset[str]:
        """The sources that no file includes and that have device code, their own or included."""
        return frozenset(
            path for path in self._graph.scans if self._is_device_unit(path)
        )

    def _is_device_unit(self, path: str) -> bool:
        if self._graph.includers.get(path):
            return False

        suffix = get_suffix(path)
        if suffix in DEVICE_SOURCE_SUFFIXES:
            return True

        reaches_device_code = path in self._graph.files_reaching_device_code

        return suffix in HOST_SOURCE_SUFFIXES and reaches_device_code

    def find_outermost_folders(self) -> tuple[str, ...]:
        """Return the folders with no Makefile above them that have to do with device code.

        Vendored folders come last.
        """
        # A Makefile of the root may build a project in which it never says CUDA.
        folders_above_units: set[str] = set()
        for path in self.device_units:
            folders_above_units.update(_iter_parents(path))

        folders: list[str] = []
        for folder in self.names_by_folder:
            if any(parent in self.names_by_folder for parent in _iter_parents(folder)):
                continue

            if folder in folders_above_units or self._mentions(folder, DEVICE_WORDS):
                folders.append(folder)

        return tuple(sorted(folders, key=_rank_by_depth))

    def find_nearest_folders(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the folder of the nearest Makefile above each path, where it may build it.

        A Makefile may build a file where it names the file or a folder on the way to it, or
        has a rule for all files of a kind.
        """
        folders: set[str] = set()
        for path in paths:
            folder = self._find_nearest_folder(path)
            if folder is not None and self._may_build(folder, path):
                folders.add(folder)

        return tuple(sorted(folders))

    def _find_nearest_folder(self, path: str) -> str | None:
        for parent in _iter_parents(path):
            if parent in self.names_by_folder:
                return parent

        return None

    def _may_build(self, folder: str, path: str) -> bool:
        # Objects are named by the stem: `k.o` for `k.cu`.
        parts = path[len(folder) :].strip("/").split("/")
        stem = posixpath.splitext(parts[-1])[0]
        text = "\n".join(self._iter_texts(folder))
        if any(word in text for word in {*parts, stem}):
            return True

        return _FILE_PATTERN.search(text) is not None

    def select_folders_to_run(self, covered_files: AbstractSet[str]) -> tuple[str, ...]:
        """Return the folders whose Makefiles call compilers and may build uncovered files."""
        nearest_folders = self.find_nearest_folders(self.device_units - covered_files)
        # A folder without any command may hold what no nearest Makefile was found for.
        uncovered_folders = [
            folder
            for folder in self.find_outermost_folders()
            if not any(_is_below(path, folder) for path in covered_files)
        ]

        candidates = dict.fromkeys((*nearest_folders, *uncovered_folders))

        return tuple(
            folder for folder in candidates if self._mentions(folder, _COMPILER_WORDS)
        )

    def iter_calls(self, folder: str, *, all_goals: bool = False) -> Iterator[MakeCall]:
        """Yield the calls of make for a folder: each dialect switched on.

        With `all_goals` each call names all goals of the Makefile, and the last one switches
        nothing on.
        """
        for name in self.names_by_folder[folder]:
            text = self._tree.read_text(posixpath.join(folder, name))
            goals = list_goals(text) if all_goals else ()

            variants = choose_switches(f"{text}\n{self._read_included_text(folder)}")

            if all_goals:
                variants.append(())

            for assignments in dict.fromkeys(variants):
                yield MakeCall(
                    folder=folder,
                    makefile=name,
                    assignments=assignments,
                    goals=goals,
                )

    def _read_included_text(self, folder: str) -> str:
        """Return what Makefiles of this folder and of those above it commonly include."""
        folders = {folder, *_iter_parents(folder)}
        texts = [
            self._tree.read_text(path)
            for path in self._included_files
            if posixpath.dirname(path) in folders
        ]

        return "\n".join(texts)

    @cached_property
    def _included_files(self) -> list[str]:
        paths = [path for path in self._tree.files if path.endswith(".mk")]
        return paths[:_MAX_INCLUDED_FILES]

    def _mentions(self, folder: str, words: re.Pattern[str]) -> bool:
        return any(words.search(text) for text in self._iter_texts(folder))

    def _iter_texts(self, folder: str) -> Iterator[str]:
        for name in self.names_by_folder[folder]:
            yield self._tree.read_text(posixpath.join(folder, name))


def _find_makefiles(tree: SourceTree) -> dict[str, tuple[str, ...]]:
    """Map each folder to its Makefiles: the one that make takes, then those for devices."""
    names_by_folder: dict[str, list[str]] = {}
    for path in tree.files:
        folder, name = posixpath.split(path)
        if _MAKEFILE_NAME.fullmatch(name) and not _NO_MAKEFILE_SUFFIX.search(name):
            names_by_folder.setdefault(folder, []).append(name)

    return {
        folder: _choose_makefiles(tree, folder, names)
        for folder, names in names_by_folder.items()
    }


def _choose_makefiles(
    tree: SourceTree, folder: str, names: list[str]
) -> tuple[str, ...]:
    # Without `-f` make takes only the first of these.
    chosen: list[str] = []
    chosen += [name for name in _DEFAULT_NAMES if name in names][:1]

    device_makefiles: list[str] = []

    for name in names:
        if name in _DEFAULT_NAMES:
            continue

        if DEVICE_WORDS.search(tree.read_text(posixpath.join(folder, name))):
            device_makefiles.append(name)

    chosen.extend(device_makefiles[: _MAX_MAKEFILES_PER_FOLDER - 1])

    return tuple(chosen)


def _iter_parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, nearest first, and last the root as an empty path."""
    while path:
        path = posixpath.dirname(path)
        yield path


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _rank_by_depth(folder: str) -> tuple[bool, int, str]:
    # Only files are vendored: any name in the folder serves.
    return (is_vendored(f"{folder}/x"), folder.count("/"), folder)
