"""Find the Makefiles of a tree, and the variables and goals to call make with."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

_NAMED: Final = re.compile(
    r"(?:GNU)?[Mm]akefile(?:[.\-_][\w.-]+)?|(?:[\w-]+\.)makefile"
)
_NOT_MAKE: Final = re.compile(
    r"\.(?:am|in|win\w*|vc|msvc|nmake|bak|orig|inc|include|mingw\w*|osx|mac\w*|darwin|py|md|txt)$"
)
_DEFAULTS: Final = ("GNUmakefile", "makefile", "Makefile")
DEVICE_WORDS: Final = re.compile(
    r"nvcc|hipcc|\.cu\b|\.hip\b|cuda|rocm|\bhip\b", re.IGNORECASE
)
_COMPILES: Final = re.compile(
    r"nvcc|hipcc|\.cu\b|\.hip\b|\$[({](?:CXX|CC|MAKE)[)}]|g\+\+|gcc|clang"
)
_CONDITION: Final = re.compile(
    r"^[ \t]*(?:else[ \t]+)?if(n?def|n?eq)[ \t]*(?:\(?[ \t]*[\"']?\$[({])?(?:strip[ \t]+\$[({])?([A-Za-z]\w{1,60})"
    r"[)}]*[\"']?[ \t]*,?[ \t]*[\"']?([\w]{0,12})",
    re.MULTILINE,
)
_DEFAULTED: Final = re.compile(
    r"^[ \t]*(?:export[ \t]+)?([A-Za-z]\w{1,60})[ \t]*(?:\?=|:?=)[ \t]*(\w{0,12})[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
_TARGET: Final = re.compile(
    r"^([A-Za-z0-9_][\w./+-]{0,80}(?:[ \t]+[A-Za-z0-9_][\w./+-]{0,80}){0,8})[ \t]*::?(?![=:])",
    re.MULTILINE,
)
_PATTERN: Final = re.compile(
    r"[%*]\.(?:cu|hip|cpp|cc|cxx|c)\b|\b(?:find|dir|wildcard)\b"
)
_NO_BUILD: Final = re.compile(
    r"clean|install|help|dist|format|lint|docs?\b|deploy|push|docker|venv|publish|release|download|fetch|submodule"
)
_IS_VALUE: Final = re.compile(
    r"HOME|PATH|PREFIX|ARCHS?|SMS?|GENCODE|LIST|ROOT|DIR|FLAGS?|\w*FLAGS|OPTS?|DEVICES?|LIBS?|LIBRARY|LIBRARIES|INCS?"
    r"|INCLUDES?|SRCS?|SOURCES?|OBJS?|OBJECTS?|OBJ|CC|CXX|COMPILER|NVCC|HIPCC|BIN|EXE|TARGETS?|FILES?|CAPABILITY|CPPFLAGS"
)
_ON: Final = {"0": "1", "no": "yes", "off": "on", "false": "true", "n": "y", "": "1"}
_DIALECTS: Final = re.compile(r"cuda|hip", re.IGNORECASE)
_TRUE: Final = frozenset({"1", "yes", "on", "true", "y"})
_MOST_SWITCHES: Final = 24
_MOST_GOALS: Final = 40
_MOST_VARIANTS: Final = 4
_MOST_INCLUDED: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeCall:
    """One call of make."""

    folder: str
    makefile: str
    assignments: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """What stands after `make`, but for how it is called."""
        return ("-f", self.makefile, *self.assignments, *self.goals)


class Makefiles:
    """The folders of a tree that have a Makefile, and the device units below each.

    `tree` is that of the Makefiles, where these were made in a copy.
    """

    def __init__(self, graph: IncludeGraph, tree: SourceTree | None = None) -> None:
        self._graph = graph
        self._tree = tree or graph.tree
        self.names_by_folder = _named(self._tree)

    @cached_property
    def device_units(self) -> frozenset[str]:
        """The sources with device code, in themselves or by what they include, that no other
        file includes.
        """
        reaching, includers = (
            self._graph.files_reaching_device_code,
            self._graph.includers,
        )
        return frozenset(
            path
            for path in self._graph.scans
            if not includers.get(path)
            and (
                get_suffix(path) in DEVICE_SOURCE_SUFFIXES
                or (get_suffix(path) in HOST_SOURCE_SUFFIXES and path in reaching)
            )
        )

    def find_outermost_folders(self) -> tuple[str, ...]:
        """Return the folders with no Makefile above them that have to do with device code,
        other people's last.
        """
        above = {folder for path in self.device_units for folder in _parents(path)}
        found = [
            folder
            for folder in self.names_by_folder
            if not any(up in self.names_by_folder for up in _parents(folder))
        ]
        own = [
            folder
            for folder in found
            if folder in above or self._says(folder, DEVICE_WORDS)
        ]
        return tuple(
            sorted(
                own,
                key=lambda folder: (_is_vendored(folder), folder.count("/"), folder),
            )
        )

    def find_nearest_folders(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the folder of the nearest Makefile above each path, where that names it or
        some folder on the way.
        """
        found = (
            (
                path,
                next((up for up in _parents(path) if up in self.names_by_folder), None),
            )
            for path in paths
        )
        return tuple(
            sorted(
                {
                    folder
                    for path, folder in found
                    if folder is not None and self._means(folder, path)
                }
            )
        )

    def _means(self, folder: str, path: str) -> bool:
        parts = path[len(folder) :].strip("/").split("/")
        words = {*parts, posixpath.splitext(parts[-1])[0]}
        text = "\n".join(
            self._tree.read_text(posixpath.join(folder, name))
            for name in self.names_by_folder[folder]
        )
        return any(word in text for word in words) or bool(_PATTERN.search(text))

    def select_folders_to_run(self, covered_files: AbstractSet[str]) -> tuple[str, ...]:
        """Return the folders whose Makefiles call compilers, and that have a file without a
        command yet.
        """
        nearest = self.find_nearest_folders(self.device_units - covered_files)
        elsewhere = [
            folder
            for folder in self.find_outermost_folders()
            if not any(_below(path, folder) for path in covered_files)
        ]
        return tuple(
            folder
            for folder in dict.fromkeys((*nearest, *elsewhere))
            if self._says(folder, _COMPILES)
        )

    def iter_calls(self, folder: str, *, all_goals: bool = False) -> Iterator[MakeCall]:
        """Yield how to call make in a folder: switched on for each dialect; `all_goals`: with
        all goals it names.
        """
        for name in self.names_by_folder[folder]:
            text = self._tree.read_text(posixpath.join(folder, name))
            goals = _goals(text) if all_goals else ()
            variants = _switches(f"{text}\n{self._shared(folder)}")
            for switches in dict.fromkeys([*variants, *([()] if all_goals else [])]):
                yield MakeCall(
                    folder=folder, makefile=name, assignments=switches, goals=goals
                )

    def _shared(self, folder: str) -> str:
        """What Makefiles of this folder and of those above it commonly include."""
        places = {folder, *_parents(folder)}
        return "\n".join(
            self._tree.read_text(path)
            for path in self._includes
            if posixpath.dirname(path) in places
        )

    @cached_property
    def _includes(self) -> list[str]:
        return [path for path in self._tree.files if path.endswith(".mk")][
            :_MOST_INCLUDED
        ]

    def _says(self, folder: str, what: re.Pattern[str]) -> bool:
        return any(
            what.search(self._tree.read_text(posixpath.join(folder, name)))
            for name in self.names_by_folder[folder]
        )


def _named(tree: SourceTree) -> dict[str, tuple[str, ...]]:
    """Map each folder to its Makefiles: that which make would take, then those named for
    devices.
    """
    found: dict[str, list[str]] = {}
    for path in tree.files:
        folder, name = posixpath.split(path)
        if _NAMED.fullmatch(name) and not _NOT_MAKE.search(name):
            found.setdefault(folder, []).append(name)
    return {folder: _taken(tree, folder, names) for folder, names in found.items()}


def _taken(tree: SourceTree, folder: str, names: list[str]) -> tuple[str, ...]:
    default = next((name for name in _DEFAULTS if name in names), None)
    others = [name for name in names if name not in _DEFAULTS]
    named = [
        name
        for name in others
        if DEVICE_WORDS.search(tree.read_text(posixpath.join(folder, name)))
    ]
    return tuple(([default] if default else []) + named[: _MOST_VARIANTS - 1])


def _switches(text: str) -> list[tuple[str, ...]]:
    """Return the assignments that, by the names of the variables, ask for CUDA, and those that
    ask for HIP.
    """
    given = {name: value.lower() for name, value in _DEFAULTED.findall(text)}
    asked = {
        dialect: _asked(text, given, dialect) for dialect in (Dialect.CUDA, Dialect.HIP)
    }
    sets = [
        tuple(f"{name}={value}" for name, value in named.items())[:_MOST_SWITCHES]
        for named in asked.values()
    ]
    return list(dict.fromkeys(found for found in sets if found)) or [()]


def _asked(text: str, given: Mapping[str, str], dialect: Dialect) -> dict[str, str]:
    """Map each variable that a Makefile tests to the value that asks for a dialect, where there
    is one.
    """
    asked: dict[str, str] = {}
    for kind, name, value in _CONDITION.findall(text):
        of_device = kind.endswith("eq") and bool(_DIALECTS.fullmatch(value))
        if (
            of_device
            and value.lower() == dialect.value
            and not _DIALECTS.fullmatch(given.get(name, ""))
        ):
            asked[name] = value
        elif (
            not of_device
            and is_device_switch(name, dialect)
            and not is_value_variable(name)
        ):
            asked.setdefault(name, _yes(kind, value, given.get(name, "")))
    return {name: value for name, value in asked.items() if value}


def _yes(kind: str, value: str, given: str) -> str:
    """Say yes in the words of a Makefile; the empty text where a variable has other values than
    yes and no.
    """
    if not kind.endswith("eq") or not value:
        known = _ON.get(given, given)
        return known if known in _TRUE else "1"
    if value.lower() in _TRUE:
        return value
    return _ON.get(value.lower(), "")


def is_value_variable(name: str) -> bool:
    """Tell whether a variable's words say that it holds a place, an architecture or flags, and
    is no switch.
    """
    return any(map(_IS_VALUE.fullmatch, name.upper().split("_")))


def _goals(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(
        word for line in _TARGET.findall(text) for word in line.split()
    )
    return tuple(name for name in found if not _NO_BUILD.search(name))[:_MOST_GOALS]


def _parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first, and last the root, which is the empty
    path.
    """
    while path:
        path = posixpath.dirname(path)
        yield path


def _below(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _is_vendored(folder: str) -> bool:
    return is_vendored(f"{folder}/x")
