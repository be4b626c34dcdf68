"""Run `setup.py` in the sandbox with stand-ins, and record the declared extensions."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from crawler import sandbox
from crawler.builds.build_files.project_environment import (
    choose_stand_in_versions,
    read_project_environment,
)
from crawler.builds.checkout.generated_files import BuildOutput, collect_build_output
from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.builds.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.database_entries import translate_entries
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.setup_py import recorded_build, sandbox_python
from crawler.builds.setup_py.environment_switches import (
    find_device_switches,
    select_build_switches,
)
from crawler.builds.setup_py.recorded_setup import RecordedSetup
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.errors import BadDatabase, ConfigureFailed
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_RECORD: Final = "/record"
_MOST: Final = 8
_MOST_TIMES: Final = 3
_MOST_MODULES: Final = 24
OUT_OF_TIME_EXIT_CODE: Final = 75
_LIMITS: Final = Limits(seconds=90, cpu_seconds=30, file_bytes=256 << 20)
_DECLARES: Final = re.compile(rb"xtension|ext_modules|cmdclass|nvcc")
_ON_THE_SPOT: Final = re.compile(rb"\bcpp_extension\b(?s:.*)\bload\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the stand-ins are asked: for which device, with which switches, and past every
    failure or not.
    """

    dialect: Dialect = Dialect.CUDA
    switches: dict[str, str] = field(default_factory=dict)
    stubborn: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    """What the stand-ins say to be, where the newest would not do."""

    def __str__(self) -> str:
        words = [
            self.dialect.value,
            *self.switches,
            *(["past failures"] if self.stubborn else []),
        ]
        return " ".join(words)


class Setuptools:
    """Runs every `setup.py` that speaks of extensions with stand-ins for torch and setuptools."""

    name = "setuptools"
    order = 30
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `setup.py` declares extensions, or a module has torch compile them on
        the spot.
        """
        return bool(
            _setups(tree) or _modules(tree) or recorded_build.find_shelling_setups(tree)
        )

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every source of every extension that is declared."""
        asking = _Asking(tree, scratch)
        for setup in _setups(tree):
            asking.about(setup)
        if asking.wanting() and (modules := _modules(tree)):
            asking.on_the_spot(modules)
        if (
            asking.wanting()
            and not asking.tells_of_devices()
            and (setups := recorded_build.find_shelling_setups(tree))
        ):
            made = recorded_build.record_setup_builds(
                tree,
                scratch,
                find_device_switches("\n".join(map(tree.read_text, setups))),
            )
            asking.take(made)
        if asking.found or asking.made.files:
            commands = tuple(
                command for commands in asking.found.values() for command in commands
            )
            return FoundCommands(
                commands=commands,
                log="\n".join(asking.logs),
                generated=asking.made.files,
            )
        raise asking.failure()


class _Asking:
    """Runs the stand-ins in one way after another, until every device source has a command."""

    def __init__(self, tree: SourceTree, scratch: Path) -> None:
        self.found: dict[str, list[CompileCommand]] = {}
        self.logs: list[str] = []
        self._tree, self._scratch = tree, scratch
        self._graph = load_include_graph(tree)
        self.made = BuildOutput()
        self._mounts = (
            cuda_toolkit.write_cuda_toolkit(scratch / "toolkit"),
            *sandbox_python.make_python_mounts(scratch / "python"),
        )
        self._source = Mount(source=tree.root, target=_SOURCE)
        self._ended: CompletedProcess | None = None

    def about(self, setup: str) -> None:
        """Ask what a setup declares: as it is, with what it asks for switched on, past
        failures, for HIP.
        """
        switches = find_device_switches(self._tree.read_text(setup))
        told = RecordedSetup()
        for stubborn in (False, True):
            if not stubborn or (self.wanting() and told.failed):
                told, switches = self._switched(setup, switches, stubborn=stubborn)
        if any(
            detect_dialect(path, self._graph) is Dialect.HIP for path in self.wanting()
        ):
            self._ask(
                _Way(dialect=Dialect.HIP, switches=switches, stubborn=told.failed),
                setup=setup,
            )

    def _switched(
        self, setup: str, switches: dict[str, str], *, stubborn: bool
    ) -> tuple[RecordedSetup, dict[str, str]]:
        """Ask again for as long as that shows new switches, and return what they were."""
        for _ in range(_MOST_TIMES):
            told = self._ask(_Way(switches=switches, stubborn=stubborn), setup=setup)
            more = select_build_switches(told.asked)
            if not self.wanting() or more.keys() <= switches.keys():
                break
            switches = {**more, **switches}
        return told, switches

    def on_the_spot(self, modules: Iterable[str]) -> None:
        """Import modules that have torch compile when they are imported, or by a function of
        theirs.
        """
        self._ask(_Way(stubborn=True), modules=modules)

    def wanting(self) -> list[str]:
        """Return the project's own device sources that no command is known for, none when time
        has run out.
        """
        own = (
            path
            for path in self._graph.scans
            if get_suffix(path) in DEVICE_SOURCE_SUFFIXES and not is_vendored(path)
        )
        left = [
            path
            for path in own
            if path not in self.found and not self._graph.includers.get(path)
        ]
        return [] if self._ended and _out_of_time(self._ended) else left

    def tells_of_devices(self) -> bool:
        """Tell whether any command is of a device compiler."""
        return any(
            command.dialect for commands in self.found.values() for command in commands
        )

    def take(self, made: FoundCommands) -> None:
        """Keep what was learnt in another way, for files that no command is known for."""
        self.logs.append(made.log)
        self._take_generated(BuildOutput(files=made.generated))
        new: dict[str, list[CompileCommand]] = {}
        for command in made.commands:
            if command.file not in self.found:
                new.setdefault(command.file, []).append(command)
        self.found |= new

    def failure(self) -> ConfigureFailed:
        """Say why nothing was learnt."""
        message = f"no setup.py declared an extension of these files ({_reason(self._ended)}): see the log"
        argv, code = (
            (self._ended.argv, self._ended.exit_code) if self._ended else ((), -1)
        )
        return ConfigureFailed(
            message, argv=argv, exit_code=code, output="\n".join(self.logs)
        )

    def _ask(
        self, way: _Way, *, setup: str = "", modules: Iterable[str] = ()
    ) -> RecordedSetup:
        way = replace(
            way, versions=choose_stand_in_versions(read_project_environment(self._tree))
        )
        told, ended = self._run(way, setup, modules)
        if (
            not self._source.writable
            and is_write_refused(ended.text)
            and not _out_of_time(ended)
        ):
            self._source = Mount(
                source=make_private_copy(self._tree, self._scratch / "source"),
                target=_SOURCE,
                writable=True,
            )
            told, ended = self._run(way, setup, modules)
        self._ended = ended
        return told

    def _run(
        self, way: _Way, setup: str, modules: Iterable[str]
    ) -> tuple[RecordedSetup, CompletedProcess]:
        record = Path(tempfile.mkdtemp(dir=self._scratch))
        mounts = (
            self._source,
            *self._mounts,
            Mount(source=record, target=_RECORD, writable=True),
        )
        ended = _start(way, setup, modules, mounts)
        told = _told(record / "told.json")
        if self._source.writable:
            self._take_generated(collect_build_output(self._source.source, self._tree))
        count = self._keep(told, way.dialect)
        self.logs.append(
            f"{setup or 'modules'} for {way}: {count} commands\n{ended.text}"
        )
        return told, ended

    def _take_generated(self, made: BuildOutput) -> None:
        before = len(self.made.files)
        self.made += made
        if len(self.made.files) > before:
            self._graph = IncludeGraph(self._tree.with_generated(self.made.files))
            self.logs.append(
                f"{len(self.made.files) - before} sources and headers were written"
            )

    def _keep(self, told: RecordedSetup, spoken: Dialect) -> int:
        """Keep the commands of files that none was known for: what was asked for first is
        nearest to the default.
        """
        try:
            entries = told.make_entries(spoken)
            made = translate_entries(
                entries,
                self._graph,
                base_folder=_SOURCE,
                origin=FlagsOrigin.RECORDED,
                recorded_root=_SOURCE,
            )
        except BadDatabase as error:
            self.logs.append(str(error))
            return 0
        new: dict[str, list[CompileCommand]] = {}
        for command in made.commands:
            is_hip = detect_dialect(command.file, self._graph) is Dialect.HIP
            if command.file not in self.found and (
                spoken is Dialect.CUDA or is_hip or command.dialect is None
            ):
                new.setdefault(command.file, []).append(command)
        self.found |= new
        return sum(map(len, new.values()))


def _start(
    way: _Way, setup: str, modules: Iterable[str], mounts: tuple[Mount, ...]
) -> CompletedProcess:
    asked = {
        "root": _SOURCE,
        "setup": f"{_SOURCE}/{setup}" if setup else "",
        "modules": [f"{_SOURCE}/{module}" for module in modules],
        "stubborn": way.stubborn,
        "hip": way.dialect is Dialect.HIP,
        "versions": way.versions,
    }
    program = ("-B", "-P", "-m", "crawler.builds.setup_py.stand_ins")
    argv = (
        sys.executable,
        *program,
        msgspec.json.encode(asked).decode(),
        f"{_RECORD}/told.json",
    )
    path = f"{cuda_toolkit.MOUNT_POINT}/bin:{Path(sys.executable).parent}:/usr/bin:/bin"
    homes = (
        {"ROCM_HOME": "/opt/rocm"}
        if way.dialect is Dialect.HIP
        else {"CUDA_HOME": cuda_toolkit.MOUNT_POINT}
    )
    env = {
        "PATH": path,
        "FORCE_CUDA": "1",
        "TORCH_CUDA_ARCH_LIST": "8.0",
        **homes,
        **way.switches,
    }
    return sandbox.run(argv, mounts=mounts, cwd=_SOURCE, env=env, limits=_LIMITS)


def _out_of_time(ended: CompletedProcess) -> bool:
    return ended.timed_out or ended.exit_code == OUT_OF_TIME_EXIT_CODE


def _told(record: Path) -> RecordedSetup:
    try:
        return msgspec.json.decode(read_untrusted_file(record), type=RecordedSetup)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, BadDatabase):
        return RecordedSetup()


def _setups(tree: SourceTree) -> list[str]:
    named = (path for path in tree.find_named("setup.py") if not is_vendored(path))
    return [path for path in named if _DECLARES.search(tree.read_bytes(path))][:_MOST]


def _modules(tree: SourceTree) -> list[str]:
    named = (
        path for path in tree.files if path.endswith(".py") and not is_vendored(path)
    )
    compiling = (
        path
        for path in named
        if b"cpp_extension" in (text := tree.read_bytes(path))
        and _ON_THE_SPOT.search(text)
    )
    return [path for path, _ in zip(compiling, range(_MOST_MODULES), strict=False)]


def _reason(ended: CompletedProcess | None) -> str:
    if ended is None:
        return "there is none"
    if ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    lines = ended.text.strip().splitlines()
    return lines[-1][:200] if lines else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Setuptools()
