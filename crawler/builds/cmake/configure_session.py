"""Sandboxed CMake configure runs over one checkout, retried without the calls that fail."""

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
from crawler.builds.checkout.generated_files import (
    GENERATED_FOLDER,
    BuildOutput,
    GeneratedPathMapper,
    collect_build_output,
)
from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.builds.cmake import compiler_seed, custom_commands
from crawler.builds.cmake.build_folder_entries import read_configured_entries
from crawler.builds.cmake.cmake_facts import read_cmake_facts, relax_minimum_version
from crawler.builds.cmake.failed_calls import FailedCall, find_failed_calls, remove_call
from crawler.builds.commands import arch_flags
from crawler.builds.commands.database_entries import translate_entries
from crawler.builds.interface import FoundCommands
from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.errors import BadDatabase
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

SOURCE_MOUNT: Final = "/src"
_BUILD: Final = "/build"
_MODULES: Final = "/opt/kernelset"
_SECONDS: Final = 45.0
_BUDGET: Final = 150.0
_ABSENT: Final = re.compile(r"kernelset: (\S+) is not (?:here|fetched)")
_MOST_BLANKED: Final = 6
_FLAGS: Final = (
    *(
        "-G",
        "Ninja",
        "--no-warn-unused-cli",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        "-DCMAKE_BUILD_TYPE=Release",
    ),
    *(
        f"-DCMAKE_CUDA_ARCHITECTURES={arch_flags.ASSUMED_CUDA_ARCH}",
        f"-DCMAKE_HIP_ARCHITECTURES={arch_flags.ASSUMED_HIP_ARCH}",
        "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
    ),
    *(
        "-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON",
        "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
        "-DCMAKE_UNITY_BUILD=OFF",
    ),
    f"-DCMAKE_CUDA_COMPILER={cuda_toolkit.MOUNT_POINT}/bin/nvcc",
    *(
        f"-DCUDAToolkit_ROOT={cuda_toolkit.MOUNT_POINT}",
        f"-DCUDA_TOOLKIT_ROOT_DIR={cuda_toolkit.MOUNT_POINT}",
    ),
    *(
        f"-DCMAKE_HIP_COMPILER={rocm_toolkit.COMPILER}",
        f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={rocm_toolkit.MOUNT_POINT}",
    ),
    f"-DCMAKE_PREFIX_PATH={cuda_toolkit.MOUNT_POINT};{rocm_toolkit.MOUNT_POINT}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A dialect that is asked for, and the cache variables that ask for it."""

    dialect: Dialect
    variables: Mapping[str, str]
    has_stand_ins: bool = True

    def make_arguments(self) -> list[str]:
        """Return the command line's words."""
        return [f"-D{name}={value}" for name, value in self.variables.items()]


@dataclass
class ConfigureSession:
    """Runs of CMake over one checkout: a shared budget of time, one private copy where one is
    needed.
    """

    tree: SourceTree
    scratch: Path
    commands: dict[tuple[str, tuple[str, ...]], CompileCommand] = field(
        default_factory=dict
    )
    logs: list[str] = field(default_factory=list)
    last_run: CompletedProcess | None = None
    build_output: BuildOutput = field(default_factory=BuildOutput)
    """What the runs have written: in the tree, and below `.generated/` in their build folders."""
    _copy: Path | None = None
    _graph: IncludeGraph | None = None
    _ends: float = field(default_factory=lambda: time.monotonic() + _BUDGET)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time for this checkout is used up."""
        return time.monotonic() >= self._ends

    def __post_init__(self) -> None:
        newer = relax_minimum_version(self.tree)
        for path, text in newer.items():
            (self._writable / path).write_text(text)

    def configure(self, folder: str, configuration: Configuration) -> int:
        """Configure `folder`, and return how many commands are new; what ends the run is
        blanked, and it runs again.
        """
        for _ in range(_MOST_BLANKED):
            if self.is_out_of_time:
                self.logs.append(
                    f"{folder}: not configured: {_BUDGET:.0f} seconds are used up"
                )
                return 0
            build = self._build_folder()
            ended = self._configure(folder, configuration, build)
            written = self._make_sources(build)
            told = self._exported(build)
            if told is not None and not (
                self._copy is None and is_write_refused(f"{ended.text}\n{written}")
            ):
                return self._keep(folder, configuration, told, ended)
            self.logs.append(
                f"cmake {folder} {' '.join(configuration.make_arguments())}\n{ended.text}"
            )
            if ended.timed_out or not self._mended(folder, f"{ended.text}\n{written}"):
                return 0
        return 0

    def _make_sources(self, build: Path) -> str:
        """Run the custom commands that write sources and headers, and return what they said."""
        targets = custom_commands.list_custom_outputs(build)
        if not targets or self.is_out_of_time:
            return ""
        mounts = (*self._places(build), *self._kits, self._said)
        ended = custom_commands.build_custom_outputs(
            targets,
            mounts,
            _BUILD,
            self._ends - time.monotonic(),
            compiler_seed.get_configure_environment(),
        )
        self.logs.append(
            f"ninja, for {len(targets)} sources and headers\n{ended.text[-_LOG_OF_SUCCESS:]}"
        )
        return ended.text

    def _keep(
        self,
        folder: str,
        wanted: Configuration,
        told: FoundCommands,
        ended: CompletedProcess,
    ) -> int:
        before = len(self.commands)
        for command in told.commands:
            self.commands.setdefault((command.file, command.arguments), command)
        new = len(self.commands) - before
        summary = f"cmake {folder} {' '.join(wanted.make_arguments())}: {len(told.commands)} commands, {new} new"
        self.logs.append(f"{ended.text[-_LOG_OF_SUCCESS:]}\n{told.log}\n{summary}")
        return new

    def _mended(self, folder: str, said: str) -> bool:
        """Give the next run a copy of the tree that it may write to, or one without the call
        that ended this one.
        """
        if self._copy is None and is_write_refused(said):
            return self._writable.is_dir()
        named = find_failed_calls(
            said, posixpath.normpath(posixpath.join(SOURCE_MOUNT, folder)), SOURCE_MOUNT
        )
        return (
            sum(self._blank(call) for call in named if call.path in self.tree.files) > 0
        )

    def _blank(self, call: FailedCall) -> bool:
        place = self._writable / call.path
        text = place.read_text("utf-8", "replace")
        without = remove_call(text, call.line, call.command)
        place.write_text(without)
        self.logs.append(f"without {call.command} at {call.path}:{call.line}")
        return without != text

    @property
    def _writable(self) -> Path:
        if self._copy is None:
            self._copy = make_private_copy(self.tree, self.scratch / "source")
        return self._copy

    def _build_folder(self) -> Path:
        build = Path(tempfile.mkdtemp(dir=self.scratch))
        compiler_seed.seed_build_folder(build, self._kits, _FLAGS)
        return build

    @cached_property
    def _kits(self) -> tuple[Mount, ...]:
        modules = Path(__file__).with_name("modules")
        return (
            cuda_toolkit.write_cuda_toolkit(self.scratch / "cuda"),
            rocm_toolkit.write_rocm_toolkit(self.scratch / "rocm"),
            Mount(source=modules, target=_MODULES),
        )

    @cached_property
    def _said(self) -> Mount:
        """What the CMake files of the tree say, as CMake reads it."""
        texts = read_cmake_facts(self.tree)
        lists = {
            "OWN": sorted(texts.defined_commands),
            "UNKNOWN": texts.undefined_commands,
            "TARGETS": texts.imported_targets,
        }
        lines = [
            f"set(KERNELSET_{name} {' '.join(words)})" for name, words in lists.items()
        ]
        lines += [
            f"set(KERNELSET_CUDA_RELEASE {cuda_toolkit.RELEASE})",
            f"set(KERNELSET_ROCM_RELEASE {rocm_toolkit.RELEASE})",
        ]
        path = self.scratch / "tree.cmake"
        path.write_text("\n".join(lines) + "\n")
        return Mount(source=path, target="/opt/kernelset-tree.cmake")

    def _configure(
        self, folder: str, wanted: Configuration, build: Path
    ) -> CompletedProcess:
        mounts = (*self._places(build), *self._kits, self._said)
        argv = [
            "cmake",
            "-S",
            posixpath.normpath(f"{SOURCE_MOUNT}/{folder}"),
            "-B",
            _BUILD,
            *_FLAGS,
            *wanted.make_arguments(),
        ]
        argv.append("-DCMAKE_PLATFORM_INFO_INITIALIZED=1")
        if wanted.has_stand_ins:
            argv += [
                f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={_MODULES}/begin.cmake",
                f"-DCMAKE_PROJECT_INCLUDE={_MODULES}/languages.cmake",
                f"-DKERNELSET_TREE={self._said.target}",
                f"-DKERNELSET_DIALECT={wanted.dialect}",
                f"-DKERNELSET_LANGUAGE={wanted.dialect.upper()}",
            ]
        seconds = max(1.0, min(_SECONDS, self._ends - time.monotonic()))
        limits = Limits(seconds=seconds, cpu_seconds=60, file_bytes=256 << 20)
        env = compiler_seed.get_configure_environment()
        self.last_run = sandbox.run(
            tuple(argv), mounts=mounts, cwd=_BUILD, env=env, limits=limits
        )
        return self.last_run

    def _places(self, build: Path) -> tuple[Mount, Mount]:
        source = Mount(
            source=self._copy or self.tree.root,
            target=SOURCE_MOUNT,
            writable=self._copy is not None,
        )
        return source, Mount(source=build, target=_BUILD, writable=True)

    def _exported(self, build: Path) -> FoundCommands | None:
        try:
            unknown = set(self.tree.files).difference(file for file, _ in self.commands)
            entries = read_configured_entries(
                build, unknown, build_mount=_BUILD, source_mount=SOURCE_MOUNT
            )
            below, left = self._left(build)
            made = GeneratedPathMapper(_BUILD, below, left)
            graph = self._graph_with(left)
            told = translate_entries(
                entries,
                graph,
                base_folder=_BUILD,
                origin=FlagsOrigin.EXPORTED,
                recorded_root=SOURCE_MOUNT,
                generated_paths=made,
            )
            return told if told.commands else None
        except BadDatabase:
            return None

    def _left(self, build: Path) -> tuple[str, BuildOutput]:
        """Return what the run has left, and where its build folder lies; two that differ do not
        share one.
        """
        known = {file.path: file.text for file in self.build_output.files}
        below = f"{GENERATED_FOLDER}/cmake"
        found = collect_build_output(build, self.tree, checkout_folder=below)
        if any(known.get(file.path, file.text) != file.text for file in found.files):
            below = f"{below}-{len(self.logs)}"
            found = collect_build_output(build, self.tree, checkout_folder=below)
        return below, found + collect_build_output(
            self._copy, self.tree
        ) if self._copy else found

    def _graph_with(self, left: BuildOutput) -> IncludeGraph:
        before = len(self.build_output.files)
        self.build_output += left
        if len(self.build_output.files) > before:
            self._graph = IncludeGraph(
                self.tree.with_generated(self.build_output.files)
            )
        return self._graph or load_include_graph(self.tree)


_LOG_OF_SUCCESS: Final = 8 << 10


def explain_failure(session: ConfigureSession) -> str:
    """Say in a line why the runs gave nothing."""
    ended = session.last_run
    if ended is None:
        return "no folder has a project"
    if ended.timed_out:
        return f"it took over {_SECONDS:.0f} seconds"
    absent = dict.fromkeys(_ABSENT.findall("\n".join(session.logs)))
    lacks = f"; not here: {', '.join(absent)}"[:200] if absent else ""
    found = re.search(r"^CMake Error[^\n]*\n\s*([^\n]*)", ended.text, re.MULTILINE)
    told = found.group(1).strip()[:200] if found else f"exit code {ended.exit_code}"
    return ("no target compiles anything" if ended.exit_code == 0 else told) + lacks
