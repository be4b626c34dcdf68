"""Read compile commands from Bazel BUILD files; nothing is run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler.builds.bazel.workspace import (
    BUILD_FILES,
    WORKSPACE_FILES,
    Label,
    Target,
    Workspace,
    parse_label,
)
from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.builds.commands.database_entries import DatabaseEntry, translate_entries
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.response_files import split_command_line
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.errors import ConfigureFailed
from crawler.model import Dialect, FlagsOrigin

_ROOT: Final = "/tree"
_MOST_WORKSPACES: Final = 16
_MOST_REACHED: Final = 1000
_STEPS: Final = 500_000
_MOST_WORDS: Final = 3_000_000
_DEEPEST: Final = 4
_NOT_COMPILED: Final = re.compile(
    r"filegroup|genrule|alias|test_suite|glob|exports_files|pkg_\w+|(?:py|java|go|sh)_\w+"
)
_FLAG_LISTS: Final = (
    "copts",
    "cxxopts",
    "conlyopts",
    "cuda_opts",
    "nvcc_opts",
    "hip_opts",
    "hipcc_opts",
)
_DEVICE_FLAGS: Final = re.compile(r"cuda|nvcc|gpu|hip|rocm|cuopts")
_SETTINGS: Final = re.compile(
    r"^(?:build|common)(?::(\w+))?[ \t]+(.{1,2000})$", re.MULTILINE
)
_OPTION: Final = re.compile(r"--(?:host_)?(?:c|cxx|cu)opts?[= ](\S{1,200})")
_SPOKEN: Final = {
    Dialect.CUDA: ("nvcc", "-x", "cu"),
    Dialect.HIP: ("hipcc", "-x", "hip"),
}


class Bazel:
    """Reads the BUILD files of every workspace, for a CUDA build and, where there is HIP code,
    for a HIP one.
    """

    name = "bazel"
    order = 60
    executes = False

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a BUILD file of the project's own has sources."""
        return any(
            not is_vendored(path) and b"srcs" in tree.read_bytes(path)
            for path in tree.find_named(*BUILD_FILES)[:200]
        )

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every source of every target that is declared."""
        graph = load_include_graph(tree)
        entries: list[DatabaseEntry] = []
        logs: list[str] = []
        for root in _workspaces(tree):
            for spoken in _dialects(graph, root):
                reader = _Reader(graph, Workspace(tree, root, spoken), spoken)
                entries += reader.entries()
                logs += [
                    f"{root or '.'} for {spoken}: {len(reader.workspace.targets)} targets"
                ]
                logs += reader.workspace.problems
        if not entries:
            message = "no BUILD file names a source that is here: see the log"
            raise ConfigureFailed(message, output="\n".join(logs))
        told = translate_entries(
            entries,
            graph,
            base_folder=_ROOT,
            origin=FlagsOrigin.RECORDED,
            recorded_root=_ROOT,
        )
        return FoundCommands(commands=told.commands, log="\n".join([*logs, told.log]))


@dataclass(slots=True)
class _Reader:
    """Turns the targets of one workspace into entries."""

    graph: IncludeGraph
    workspace: Workspace
    spoken: Dialect
    _left: int = _STEPS
    _words_left: int = _MOST_WORDS
    _handed_on: dict[Label, tuple[str, ...]] = field(default_factory=dict)
    _depends_on: dict[Label, tuple[Label, ...]] = field(default_factory=dict)

    def entries(self) -> list[DatabaseEntry]:
        """Return what compiling each target's sources would look like."""
        self.workspace.read_packages()
        settings = _settings(self.graph.tree, self.workspace.root, self.spoken)
        return [
            entry
            for target in list(self.workspace.targets.values())
            for entry in self._of(target, settings)
        ]

    def _of(self, target: Target, settings: list[str]) -> Iterator[DatabaseEntry]:
        sources = (
            []
            if _NOT_COMPILED.fullmatch(target.rule)
            else [*self._sources(target, {"srcs"})]
        )
        if not any(map(self._is_spoken, sources)):
            return
        shared = [*self._inherited(target), *_handed_on(target), *_own(target)]
        for source in filter(self._is_spoken, sources):
            device = get_suffix(
                source
            ) in DEVICE_SOURCE_SUFFIXES or ".cu." in posixpath.basename(source)
            compiler = (
                _SPOKEN[self.spoken]
                if device and get_suffix(source) in HOST_SOURCE_SUFFIXES
                else ("c++",)
            )
            words = [
                *compiler,
                *settings,
                *_flags(target, device),
                "-iquote",
                ".",
                *shared,
                source,
            ]
            self._words_left -= len(words)
            if self._words_left < 0:
                return
            yield DatabaseEntry(
                file=source, directory=self.workspace.root or ".", arguments=words
            )

    def _is_spoken(self, source: str) -> bool:
        spoken = detect_dialect(posixpath.join(self.workspace.root, source), self.graph)
        return (spoken is Dialect.HIP) is (self.spoken is Dialect.HIP)

    def _sources(
        self, target: Target, endings: set[str], depth: int = 0
    ) -> Iterator[str]:
        """Yield the files of a target that a compiler is given, those of its file groups too."""
        for name in target.list_strings(*endings):
            here = parse_label(name, target.package)
            self._left -= 1
            if here.path in self.workspace:
                if (
                    get_suffix(here.path)
                    in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
                ):
                    yield here.path
            elif depth < _DEEPEST and self._left > 0:
                group = self.workspace.targets.get(here)
                if group and _NOT_COMPILED.fullmatch(group.rule):
                    yield from self._sources(
                        group, {"srcs", "files", "actual"}, depth + 1
                    )

    def _inherited(self, target: Target) -> list[str]:
        """Return the flags that the targets which this one depends on hand on, nearest first."""
        seen: dict[Label, None] = dict.fromkeys(_dependencies(target))
        pending = list(seen)
        for name in pending:
            found = self.workspace.targets.get(name)
            if self._left < 0 or len(seen) > _MOST_REACHED:
                break
            if found is not None:
                self._handed_on.setdefault(name, tuple(_handed_on(found)))
                new = [one for one in self._after(name, found) if one not in seen]
                seen.update(dict.fromkeys(new))
                pending += new
        return list(
            dict.fromkeys(
                flag for name in seen for flag in self._handed_on.get(name, ())
            )
        )

    def _after(self, name: Label, target: Target) -> tuple[Label, ...]:
        if name not in self._depends_on:
            self._depends_on[name] = tuple(_dependencies(target))
        self._left -= 1 + len(self._depends_on[name])
        return self._depends_on[name]


def _workspaces(tree: SourceTree) -> list[str]:
    """Return the folders of workspaces, the root where there is none; one inside another is one
    of its own.
    """
    found = {
        posixpath.dirname(path)
        for path in tree.find_named(*WORKSPACE_FILES)
        if not is_vendored(path)
    }
    return sorted(found, key=lambda folder: (folder.count("/"), folder))[
        :_MOST_WORKSPACES
    ] or [""]


def _dialects(graph: IncludeGraph, root: str) -> Iterator[Dialect]:
    yield Dialect.CUDA
    below = (
        path
        for path in graph.device_files
        if path.startswith(f"{root}/" if root else "")
    )
    if any(detect_dialect(path, graph) is Dialect.HIP for path in below):
        yield Dialect.HIP


def _settings(tree: SourceTree, root: str, spoken: Dialect) -> list[str]:
    """Return the compiler's options that `.bazelrc` gives to every build, and to one for the
    device.
    """
    found: list[str] = []
    for config, options in _SETTINGS.findall(
        tree.read_text(posixpath.join(root, ".bazelrc"))
    ):
        if config in (
            "",
            "linux",
            "opt",
            spoken.value,
            "rocm" if spoken is Dialect.HIP else "gpu",
        ):
            found += (option.strip("\"'") for option in _OPTION.findall(options))
    return found


def _dependencies(target: Target) -> Iterator[Label]:
    return (
        parse_label(name, target.package)
        for name in target.list_strings("deps", "actual")
    )


def _handed_on(target: Target) -> Iterator[str]:
    """Yield what a target gives to itself and to all that depend on it."""
    for folder in target.list_strings("includes"):
        yield f"-I{posixpath.normpath(posixpath.join(target.package, folder))}"
    for prefix in filter(None, target.list_strings("strip_include_prefix")):
        folder = (
            prefix.lstrip("/")
            if prefix[0] == "/"
            else posixpath.join(target.package, prefix)
        )
        yield f"-I{posixpath.normpath(folder)}"
    for one in target.attributes.get("defines") or []:
        yield from (f"-D{word}" for word in _words(one))


def _own(target: Target) -> Iterator[str]:
    for name, value in target.attributes.items():
        if name != "defines" and name.endswith("_defines") and isinstance(value, list):
            yield from (f"-D{word}" for one in value for word in _words(one))


def _flags(target: Target, device: bool) -> list[str]:
    """Return a target's own options, those for the device's compiler only where it compiles."""
    named = Target(
        rule=target.rule,
        package=target.package,
        attributes={
            name: value
            for name, value in target.attributes.items()
            if device or not _DEVICE_FLAGS.search(name)
        },
    )
    return [word for one in named.list_strings(*_FLAG_LISTS) for word in _words(one)]


def _words(option: object) -> list[str]:
    """Split an option as a shell would; what a variable of the build stands in is left out."""
    if not isinstance(option, str) or "$" in option:
        return []
    return split_command_line(option)


PLUGIN: Final[BuildSystem] = Bazel()
