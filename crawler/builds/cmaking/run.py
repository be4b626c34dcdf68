"""One run of CMake over a folder of a checkout: in the sandbox, with what is missing stood in for."""

from __future__ import annotations

import posixpath
import re
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.cmaking import custom, seed
from crawler.builds.cmaking.blank import FailedCall, blanked, failed_calls
from crawler.builds.cmaking.entries import configured_entries
from crawler.builds.cmaking.texts import asks_for_newer, cmake_texts
from crawler.builds.commands import archs
from crawler.builds.commands.entries import translate
from crawler.builds.interface import Yield
from crawler.builds.reading.includes import IncludeGraph, include_graph
from crawler.builds.reading.tree import Tree
from crawler.builds.stubs import rocm, toolkit
from crawler.builds.trees.copy import private_copy, wants_to_write
from crawler.builds.trees.generated import FOLDER, Made, Written, written
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

SOURCE: Final = "/src"
_BUILD: Final = "/build"
_MODULES: Final = "/opt/kernelset"
_SECONDS: Final = 45.0
_BUDGET: Final = 150.0
_ABSENT: Final = re.compile(r"kernelset: (\S+) is not (?:here|fetched)")
_MOST_BLANKED: Final = 6
_FLAGS: Final = (
    *("-G", "Ninja", "--no-warn-unused-cli", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_BUILD_TYPE=Release"),
    *(
        f"-DCMAKE_CUDA_ARCHITECTURES={archs.ASSUMED_CUDA}",
        f"-DCMAKE_HIP_ARCHITECTURES={archs.ASSUMED_HIP}",
        "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
    ),
    *("-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", "-DCMAKE_UNITY_BUILD=OFF"),
    f"-DCMAKE_CUDA_COMPILER={toolkit.TARGET}/bin/nvcc",
    *(f"-DCUDAToolkit_ROOT={toolkit.TARGET}", f"-DCUDA_TOOLKIT_ROOT_DIR={toolkit.TARGET}"),
    *(f"-DCMAKE_HIP_COMPILER={rocm.COMPILER}", f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={rocm.TARGET}"),
    f"-DCMAKE_PREFIX_PATH={toolkit.TARGET};{rocm.TARGET}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A dialect that is asked for, and the cache variables that ask for it."""

    dialect: Dialect
    variables: Mapping[str, str]
    stand_ins: bool = True

    def words(self) -> list[str]:
        """Return the command line's words."""
        return [f"-D{name}={value}" for name, value in self.variables.items()]


@dataclass
class Configuring:
    """Runs of CMake over one checkout: a shared budget of time, one private copy where one is needed."""

    tree: Tree
    scratch: Path
    commands: dict[tuple[str, tuple[str, ...]], CompileCommand] = field(default_factory=dict)
    logs: list[str] = field(default_factory=list)
    last: Finished | None = None
    made: Written = field(default_factory=Written)
    """What the runs have written: in the tree, and below `.generated/` in their build folders."""
    _copy: Path | None = None
    _graph: IncludeGraph | None = None
    _ends: float = field(default_factory=lambda: time.monotonic() + _BUDGET)

    @property
    def spent(self) -> bool:
        """Whether the time for this checkout is used up."""
        return time.monotonic() >= self._ends

    def __post_init__(self) -> None:
        newer = asks_for_newer(self.tree)
        for path, text in newer.items():
            (self._writable / path).write_text(text)

    def run(self, folder: str, wanted: Configuration) -> int:
        """Configure `folder`, and return how many commands are new; what ends the run is blanked, and it runs again."""
        for _ in range(_MOST_BLANKED):
            if self.spent:
                self.logs.append(f"{folder}: not configured: {_BUDGET:.0f} seconds are used up")
                return 0
            build = self._build_folder()
            ended = self._configure(folder, wanted, build)
            written = self._make_sources(build)
            told = self._exported(build)
            if told is not None and not (self._copy is None and wants_to_write(f"{ended.text}\n{written}")):
                return self._keep(folder, wanted, told, ended)
            self.logs.append(f"cmake {folder} {' '.join(wanted.words())}\n{ended.text}")
            if ended.timed_out or not self._mended(folder, f"{ended.text}\n{written}"):
                return 0
        return 0

    def _make_sources(self, build: Path) -> str:
        """Run the custom commands that write sources and headers, and return what they said."""
        targets = custom.outputs(build)
        if not targets or self.spent:
            return ""
        mounts = (*self._places(build), *self._kits, self._said)
        ended = custom.make(targets, mounts, _BUILD, self._ends - time.monotonic(), seed.environment())
        self.logs.append(f"ninja, for {len(targets)} sources and headers\n{ended.text[-_LOG_OF_SUCCESS:]}")
        return ended.text

    def _keep(self, folder: str, wanted: Configuration, told: Yield, ended: Finished) -> int:
        before = len(self.commands)
        for command in told.commands:
            self.commands.setdefault((command.file, command.arguments), command)
        new = len(self.commands) - before
        summary = f"cmake {folder} {' '.join(wanted.words())}: {len(told.commands)} commands, {new} new"
        self.logs.append(f"{ended.text[-_LOG_OF_SUCCESS:]}\n{told.log}\n{summary}")
        return new

    def _mended(self, folder: str, said: str) -> bool:
        """Give the next run a copy of the tree that it may write to, or one without the call that ended this one."""
        if self._copy is None and wants_to_write(said):
            return self._writable.is_dir()
        named = failed_calls(said, posixpath.normpath(posixpath.join(SOURCE, folder)), SOURCE)
        return sum(self._blank(call) for call in named if call.path in self.tree.files) > 0

    def _blank(self, call: FailedCall) -> bool:
        place = self._writable / call.path
        text = place.read_text("utf-8", "replace")
        without = blanked(text, call.line, call.command)
        place.write_text(without)
        self.logs.append(f"without {call.command} at {call.path}:{call.line}")
        return without != text

    @property
    def _writable(self) -> Path:
        if self._copy is None:
            self._copy = private_copy(self.tree, self.scratch / "source")
        return self._copy

    def _build_folder(self) -> Path:
        build = Path(tempfile.mkdtemp(dir=self.scratch))
        seed.lay_out(build, self._kits, _FLAGS)
        return build

    @cached_property
    def _kits(self) -> tuple[Mount, ...]:
        modules = Path(__file__).with_name("modules")
        return (
            toolkit.lay_out(self.scratch / "cuda"),
            rocm.lay_out(self.scratch / "rocm"),
            Mount(source=modules, target=_MODULES),
        )

    @cached_property
    def _said(self) -> Mount:
        """What the CMake files of the tree say, as CMake reads it."""
        texts = cmake_texts(self.tree)
        lists = {"OWN": sorted(texts.own), "UNKNOWN": texts.unknown, "TARGETS": texts.targets}
        lines = [f"set(KERNELSET_{name} {' '.join(words)})" for name, words in lists.items()]
        lines += [f"set(KERNELSET_CUDA_RELEASE {toolkit.RELEASE})", f"set(KERNELSET_ROCM_RELEASE {rocm.RELEASE})"]
        path = self.scratch / "tree.cmake"
        path.write_text("\n".join(lines) + "\n")
        return Mount(source=path, target="/opt/kernelset-tree.cmake")

    def _configure(self, folder: str, wanted: Configuration, build: Path) -> Finished:
        mounts = (*self._places(build), *self._kits, self._said)
        argv = ["cmake", "-S", posixpath.normpath(f"{SOURCE}/{folder}"), "-B", _BUILD, *_FLAGS, *wanted.words()]
        argv.append("-DCMAKE_PLATFORM_INFO_INITIALIZED=1")
        if wanted.stand_ins:
            argv += [
                f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={_MODULES}/begin.cmake",
                f"-DCMAKE_PROJECT_INCLUDE={_MODULES}/languages.cmake",
                f"-DKERNELSET_TREE={self._said.target}",
                f"-DKERNELSET_DIALECT={wanted.dialect}",
                f"-DKERNELSET_LANGUAGE={wanted.dialect.upper()}",
            ]
        seconds = max(1.0, min(_SECONDS, self._ends - time.monotonic()))
        limits = Limits(seconds=seconds, cpu_seconds=60, file_bytes=256 << 20)
        env = seed.environment()
        self.last = sandbox.run(tuple(argv), mounts=mounts, cwd=_BUILD, env=env, limits=limits)
        return self.last

    def _places(self, build: Path) -> tuple[Mount, Mount]:
        source = Mount(source=self._copy or self.tree.root, target=SOURCE, writable=self._copy is not None)
        return source, Mount(source=build, target=_BUILD, writable=True)

    def _exported(self, build: Path) -> Yield | None:
        try:
            unknown = set(self.tree.files).difference(file for file, _ in self.commands)
            entries = configured_entries(build, unknown, build=_BUILD, source=SOURCE)
            below, left = self._left(build)
            made = Made(_BUILD, below, left)
            graph = self._graph_with(left)
            told = translate(entries, graph, base=_BUILD, origin=FlagsOrigin.EXPORTED, prefix=SOURCE, made=made)
            return told if told.commands else None
        except BadDatabase:
            return None

    def _left(self, build: Path) -> tuple[str, Written]:
        """Return what the run has left, and where its build folder lies; two that differ do not share one."""
        known = {file.path: file.text for file in self.made.files}
        below = f"{FOLDER}/cmake"
        found = written(build, self.tree, below=below)
        if any(known.get(file.path, file.text) != file.text for file in found.files):
            below = f"{below}-{len(self.logs)}"
            found = written(build, self.tree, below=below)
        return below, found + written(self._copy, self.tree) if self._copy else found

    def _graph_with(self, left: Written) -> IncludeGraph:
        before = len(self.made.files)
        self.made += left
        if len(self.made.files) > before:
            self._graph = IncludeGraph(self.tree.with_generated(self.made.files))
        return self._graph or include_graph(self.tree)


_LOG_OF_SUCCESS: Final = 8 << 10


def reason(running: Configuring) -> str:
    """Say in a line why the runs gave nothing."""
    ended = running.last
    if ended is None:
        return "no folder has a project"
    if ended.timed_out:
        return f"it took over {_SECONDS:.0f} seconds"
    absent = dict.fromkeys(_ABSENT.findall("\n".join(running.logs)))
    lacks = f"; not here: {', '.join(absent)}"[:200] if absent else ""
    found = re.search(r"^CMake Error[^\n]*\n\s*([^\n]*)", ended.text, re.MULTILINE)
    told = found.group(1).strip()[:200] if found else f"exit code {ended.exit_code}"
    return ("no target compiles anything" if ended.exit_code == 0 else told) + lacks
