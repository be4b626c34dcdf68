"""Compile database entries of the targets that a Bazel workspace declares."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from crawler.builds.bazel.targets import Label, Target, parse_label
from crawler.builds.bazel.workspace import Workspace
from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.response_files import split_command_line
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.checkout.source_tree import SourceTree
from crawler.model import Dialect

_MAX_REACHED_TARGETS: Final = 1000
_MAX_STEPS: Final = 500_000
_MAX_WORDS: Final = 3_000_000
_MAX_GROUP_DEPTH: Final = 4
_COMPILED_SUFFIXES: Final = DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
# rules that compile nothing for a device
_UNCOMPILED_RULE: Final = re.compile(
    r"filegroup|genrule|alias|test_suite|glob|exports_files|pkg_\w+|(?:py|java|go|sh)_\w+"
)
_OWN_SOURCE_ATTRIBUTES: Final = frozenset({"srcs"})
_GROUP_SOURCE_ATTRIBUTES: Final = frozenset({"srcs", "files", "actual"})
_FLAG_ATTRIBUTES: Final = (
    "copts",
    "cxxopts",
    "conlyopts",
    "cuda_opts",
    "nvcc_opts",
    "hip_opts",
    "hipcc_opts",
)
# attributes such as `nvcc_opts`, beside `copts`
_DEVICE_FLAG_ATTRIBUTE: Final = re.compile(r"cuda|nvcc|gpu|hip|rocm|cuopts")
# A line of a `.bazelrc` with its configuration: `build:cuda --copt=-DUSE_CUDA`.
_BAZELRC_LINE: Final = re.compile(
    r"^(?:build|common)(?::(\w+))?[ \t]+(.{1,2000})$", re.MULTILINE
)
_COMPILER_OPTION: Final = re.compile(r"--(?:host_)?(?:c|cxx|cu)opts?[= ](\S{1,200})")
_DEVICE_COMPILERS: Final = {
    Dialect.CUDA: ("nvcc", "-x", "cu"),
    Dialect.HIP: ("hipcc", "-x", "hip"),
}


@dataclass(slots=True)
class TargetReader:
    """Turns the targets of one workspace into entries, for one dialect."""

    graph: IncludeGraph
    workspace: Workspace
    dialect: Dialect
    # Bounds for hostile BUILD files, whose targets may depend on each other a million times.
    _steps_left: int = _MAX_STEPS
    _words_left: int = _MAX_WORDS
    _exported_flags: dict[Label, tuple[str, ...]] = field(default_factory=dict)
    _dependencies: dict[Label, tuple[Label, ...]] = field(default_factory=dict)

    def list_entries(self) -> list[DatabaseEntry]:
        """Return what compiling the sources of each target would look like."""
        self.workspace.read_packages()
        settings = _read_settings(self.graph.tree, self.workspace.root, self.dialect)
        entries: list[DatabaseEntry] = []
        for target in list(self.workspace.targets.values()):
            entries.extend(self._iter_target_entries(target, settings))

        return entries

    def _iter_target_entries(
        self, target: Target, settings: list[str]
    ) -> Iterator[DatabaseEntry]:
        if _UNCOMPILED_RULE.fullmatch(target.rule):
            return

        sources = list(self._iter_sources(target, _OWN_SOURCE_ATTRIBUTES))
        if not any(self._is_of_dialect(source) for source in sources):
            return

        shared_flags = [
            *self._collect_inherited_flags(target),
            *_iter_exported_flags(target),
            *_iter_local_defines(target),
        ]

        for source in sources:
            if not self._is_of_dialect(source):
                continue

            is_device_source = _is_device_source(source)
            words = [
                *self._choose_compiler(source),
                *settings,
                *_list_flags(target, is_device_source=is_device_source),
                "-iquote",
                ".",
                *shared_flags,
                source,
            ]

            self._words_left -= len(words)
            if self._words_left < 0:
                return

            yield DatabaseEntry(
                file=source,
                directory=self.workspace.root or ".",
                arguments=words,
            )

    def _choose_compiler(self, source: str) -> tuple[str, ...]:
        # `scan.cu.cc` is device code by its name, which a compiler must be told.
        if _is_device_source(source) and get_suffix(source) in HOST_SOURCE_SUFFIXES:
            return _DEVICE_COMPILERS[self.dialect]

        return ("c++",)

    def _is_of_dialect(self, source: str) -> bool:
        path = posixpath.join(self.workspace.root, source)
        is_hip_source = detect_dialect(path, self.graph) is Dialect.HIP
        is_hip_build = self.dialect is Dialect.HIP

        return is_hip_source is is_hip_build

    def _iter_sources(
        self, target: Target, attributes: AbstractSet[str], depth: int = 0
    ) -> Iterator[str]:
        """Yield the files of a target that a compiler is given, its file groups' included."""
        for name in target.list_strings(*attributes):
            label = parse_label(name, target.package)
            self._steps_left -= 1
            if label.path in self.workspace:
                if get_suffix(label.path) in _COMPILED_SUFFIXES:
                    yield label.path

                continue

            if depth >= _MAX_GROUP_DEPTH or self._steps_left <= 0:
                continue

            group = self.workspace.targets.get(label)
            if group and _UNCOMPILED_RULE.fullmatch(group.rule):
                yield from self._iter_sources(
                    group, _GROUP_SOURCE_ATTRIBUTES, depth + 1
                )

    def _collect_inherited_flags(self, target: Target) -> list[str]:
        """Return the flags that all dependencies of a target export, nearest first."""
        reached_labels = dict.fromkeys(_iter_dependencies(target))
        pending_labels = list(reached_labels)

        for label in pending_labels:
            dependency = self.workspace.targets.get(label)
            if self._steps_left < 0 or len(reached_labels) > _MAX_REACHED_TARGETS:
                break
            if dependency is None:
                continue

            self._exported_flags.setdefault(
                label, tuple(_iter_exported_flags(dependency))
            )
            # Libraries depend on each other in diamonds, and each counts once.
            new_labels = [
                next_label
                for next_label in self._list_dependencies(label, dependency)
                if next_label not in reached_labels
            ]

            reached_labels.update(dict.fromkeys(new_labels))
            # The list grows while it is walked: a walk in breadth.
            pending_labels += new_labels

        flags: dict[str, None] = {}
        for label in reached_labels:
            flags.update(dict.fromkeys(self._exported_flags.get(label, ())))

        return list(flags)

    def _list_dependencies(self, label: Label, target: Target) -> tuple[Label, ...]:
        if label not in self._dependencies:
            self._dependencies[label] = tuple(_iter_dependencies(target))

        self._steps_left -= 1 + len(self._dependencies[label])
        return self._dependencies[label]


def _is_device_source(source: str) -> bool:
    if get_suffix(source) in DEVICE_SOURCE_SUFFIXES:
        return True

    return ".cu." in posixpath.basename(source)


def _read_settings(tree: SourceTree, root: str, dialect: Dialect) -> list[str]:
    """Return the compiler options that `.bazelrc` gives to every build, and to device builds."""
    configurations = {
        "",
        "linux",
        "opt",
        dialect.value,
        "rocm" if dialect is Dialect.HIP else "gpu",
    }

    bazelrc = tree.read_text(posixpath.join(root, ".bazelrc"))
    settings: list[str] = []

    for configuration, options in _BAZELRC_LINE.findall(bazelrc):
        if configuration in configurations:
            for option in _COMPILER_OPTION.findall(options):
                settings.append(option.strip("\"'"))

    return settings


def _iter_dependencies(target: Target) -> Iterator[Label]:
    for name in target.list_strings("deps", "actual"):
        yield parse_label(name, target.package)


def _iter_exported_flags(target: Target) -> Iterator[str]:
    """Yield what a target gives to itself and to all that depend on it."""
    for include in target.list_strings("includes"):
        folder = posixpath.join(target.package, include)
        yield f"-I{posixpath.normpath(folder)}"

    for prefix in target.list_strings("strip_include_prefix"):
        if not prefix:
            continue

        folder = _resolve_prefix(prefix, target.package)
        yield f"-I{posixpath.normpath(folder)}"

    yield from _iter_defines(target.attributes.get("defines") or [])


def _resolve_prefix(prefix: str, package: str) -> str:
    # An absolute prefix begins at the root of the workspace.
    if prefix.startswith("/"):
        return prefix.lstrip("/")

    return posixpath.join(package, prefix)


def _iter_local_defines(target: Target) -> Iterator[str]:
    for name, value in target.attributes.items():
        is_defines = name != "defines" and name.endswith("_defines")
        if is_defines and isinstance(value, list):
            yield from _iter_defines(value)


def _iter_defines(definitions: Iterable[object]) -> Iterator[str]:
    for definition in definitions:
        for word in _split_option(definition):
            yield f"-D{word}"


def _list_flags(target: Target, *, is_device_source: bool) -> list[str]:
    """Return a target's own options, those for the device compiler only where it compiles."""
    attributes = {
        name: value
        for name, value in target.attributes.items()
        if is_device_source or not _DEVICE_FLAG_ATTRIBUTE.search(name)
    }

    applicable_target = replace(target, attributes=attributes)

    flags: list[str] = []
    for option in applicable_target.list_strings(*_FLAG_ATTRIBUTES):
        flags += _split_option(option)

    return flags


def _split_option(option: object) -> tuple[str, ...]:
    """Split an option as a shell would; an option with a variable of the build is left out."""
    if not isinstance(option, str) or "$" in option:
        return ()

    return _split_words(option)


# A target's options are split for each of its sources.
@lru_cache(maxsize=1024)
def _split_words(option: str) -> tuple[str, ...]:
    return tuple(split_command_line(option))
