"""What a `setup.py` declares, in the sandbox: torch is not needed, nothing is compiled."""

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
from crawler.builds.commands.dialect import dialect
from crawler.builds.commands.entries import translate
from crawler.builds.environment import environment, standing_in
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.includes import IncludeGraph, include_graph
from crawler.builds.reading.scan import DEVICE_SOURCES, suffix
from crawler.builds.reading.tree import Tree, vendored
from crawler.builds.reading.untrusted import read_left
from crawler.builds.setup_py import python, shelled
from crawler.builds.setup_py.extensions import Told
from crawler.builds.setup_py.switches import asked_for, named_in
from crawler.builds.stubs import toolkit
from crawler.builds.trees.copy import private_copy, wants_to_write
from crawler.builds.trees.generated import Written, written
from crawler.errors import BadDatabase, ConfigureFailed
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_RECORD: Final = "/record"
_MOST: Final = 8
_MOST_TIMES: Final = 3
_MOST_MODULES: Final = 24
OUT_OF_TIME: Final = 75
_LIMITS: Final = Limits(seconds=90, cpu_seconds=30, file_bytes=256 << 20)
_DECLARES: Final = re.compile(rb"xtension|ext_modules|cmdclass|nvcc")
_ON_THE_SPOT: Final = re.compile(rb"\bcpp_extension\b(?s:.*)\bload\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How the stand-ins are asked: for which device, with which switches, and past every failure or not."""

    dialect: Dialect = Dialect.CUDA
    switches: dict[str, str] = field(default_factory=dict)
    stubborn: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    """What the stand-ins say to be, where the newest would not do."""

    def __str__(self) -> str:
        words = [self.dialect.value, *self.switches, *(["past failures"] if self.stubborn else [])]
        return " ".join(words)


class Setuptools:
    """Runs every `setup.py` that speaks of extensions with stand-ins for torch and setuptools."""

    name = "setuptools"
    order = 30
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether a `setup.py` declares extensions, or a module has torch compile them on the spot."""
        return bool(_setups(tree) or _modules(tree) or shelled.setups(tree))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return a command for every source of every extension that is declared."""
        asking = _Asking(tree, scratch)
        for setup in _setups(tree):
            asking.about(setup)
        if asking.wanting() and (modules := _modules(tree)):
            asking.on_the_spot(modules)
        if asking.wanting() and not asking.tells_of_devices() and (setups := shelled.setups(tree)):
            made = shelled.recorded(tree, scratch, named_in("\n".join(map(tree.text, setups))))
            asking.take(made)
        if asking.found or asking.made.files:
            commands = tuple(command for commands in asking.found.values() for command in commands)
            return Yield(commands=commands, log="\n".join(asking.logs), generated=asking.made.files)
        raise asking.failure()


class _Asking:
    """Runs the stand-ins in one way after another, until every device source has a command."""

    def __init__(self, tree: Tree, scratch: Path) -> None:
        self.found: dict[str, list[CompileCommand]] = {}
        self.logs: list[str] = []
        self._tree, self._scratch = tree, scratch
        self._graph = include_graph(tree)
        self.made = Written()
        self._mounts = (toolkit.lay_out(scratch / "toolkit"), *python.mounts(scratch / "python"))
        self._source = Mount(source=tree.root, target=_SOURCE)
        self._ended: Finished | None = None

    def about(self, setup: str) -> None:
        """Ask what a setup declares: as it is, with what it asks for switched on, past failures, for HIP."""
        switches = named_in(self._tree.text(setup))
        told = Told()
        for stubborn in (False, True):
            if not stubborn or (self.wanting() and told.failed):
                told, switches = self._switched(setup, switches, stubborn=stubborn)
        if any(dialect(path, self._graph) is Dialect.HIP for path in self.wanting()):
            self._ask(_Way(dialect=Dialect.HIP, switches=switches, stubborn=told.failed), setup=setup)

    def _switched(self, setup: str, switches: dict[str, str], *, stubborn: bool) -> tuple[Told, dict[str, str]]:
        """Ask again for as long as that shows new switches, and return what they were."""
        for _ in range(_MOST_TIMES):
            told = self._ask(_Way(switches=switches, stubborn=stubborn), setup=setup)
            more = asked_for(told.asked)
            if not self.wanting() or more.keys() <= switches.keys():
                break
            switches = {**more, **switches}
        return told, switches

    def on_the_spot(self, modules: Iterable[str]) -> None:
        """Import modules that have torch compile when they are imported, or by a function of theirs."""
        self._ask(_Way(stubborn=True), modules=modules)

    def wanting(self) -> list[str]:
        """Return the project's own device sources that no command is known for, none when time has run out."""
        own = (path for path in self._graph.skims if suffix(path) in DEVICE_SOURCES and not vendored(path))
        left = [path for path in own if path not in self.found and not self._graph.includers.get(path)]
        return [] if self._ended and _out_of_time(self._ended) else left

    def tells_of_devices(self) -> bool:
        """Tell whether any command is of a device compiler."""
        return any(command.dialect for commands in self.found.values() for command in commands)

    def take(self, made: Yield) -> None:
        """Keep what was learnt in another way, for files that no command is known for."""
        self.logs.append(made.log)
        self._take_generated(Written(files=made.generated))
        new: dict[str, list[CompileCommand]] = {}
        for command in made.commands:
            if command.file not in self.found:
                new.setdefault(command.file, []).append(command)
        self.found |= new

    def failure(self) -> ConfigureFailed:
        """Say why nothing was learnt."""
        message = f"no setup.py declared an extension of these files ({_reason(self._ended)}): see the log"
        argv, code = (self._ended.argv, self._ended.exit_code) if self._ended else ((), -1)
        return ConfigureFailed(message, argv=argv, exit_code=code, output="\n".join(self.logs))

    def _ask(self, way: _Way, *, setup: str = "", modules: Iterable[str] = ()) -> Told:
        way = replace(way, versions=standing_in(environment(self._tree)))
        told, ended = self._run(way, setup, modules)
        if not self._source.writable and wants_to_write(ended.text) and not _out_of_time(ended):
            self._source = Mount(
                source=private_copy(self._tree, self._scratch / "source"), target=_SOURCE, writable=True
            )
            told, ended = self._run(way, setup, modules)
        self._ended = ended
        return told

    def _run(self, way: _Way, setup: str, modules: Iterable[str]) -> tuple[Told, Finished]:
        record = Path(tempfile.mkdtemp(dir=self._scratch))
        mounts = (self._source, *self._mounts, Mount(source=record, target=_RECORD, writable=True))
        ended = _start(way, setup, modules, mounts)
        told = _told(record / "told.json")
        if self._source.writable:
            self._take_generated(written(self._source.source, self._tree))
        count = self._keep(told, way.dialect)
        self.logs.append(f"{setup or 'modules'} for {way}: {count} commands\n{ended.text}")
        return told, ended

    def _take_generated(self, made: Written) -> None:
        before = len(self.made.files)
        self.made += made
        if len(self.made.files) > before:
            self._graph = IncludeGraph(self._tree.with_generated(self.made.files))
            self.logs.append(f"{len(self.made.files) - before} sources and headers were written")

    def _keep(self, told: Told, spoken: Dialect) -> int:
        """Keep the commands of files that none was known for: what was asked for first is nearest to the default."""
        try:
            entries = told.entries(spoken)
            made = translate(entries, self._graph, base=_SOURCE, origin=FlagsOrigin.RECORDED, prefix=_SOURCE)
        except BadDatabase as error:
            self.logs.append(str(error))
            return 0
        new: dict[str, list[CompileCommand]] = {}
        for command in made.commands:
            is_hip = dialect(command.file, self._graph) is Dialect.HIP
            if command.file not in self.found and (spoken is Dialect.CUDA or is_hip or command.dialect is None):
                new.setdefault(command.file, []).append(command)
        self.found |= new
        return sum(map(len, new.values()))


def _start(way: _Way, setup: str, modules: Iterable[str], mounts: tuple[Mount, ...]) -> Finished:
    asked = {
        "root": _SOURCE,
        "setup": f"{_SOURCE}/{setup}" if setup else "",
        "modules": [f"{_SOURCE}/{module}" for module in modules],
        "stubborn": way.stubborn,
        "hip": way.dialect is Dialect.HIP,
        "versions": way.versions,
    }
    program = ("-B", "-P", "-m", "crawler.builds.setup_py.standin")
    argv = (sys.executable, *program, msgspec.json.encode(asked).decode(), f"{_RECORD}/told.json")
    path = f"{toolkit.TARGET}/bin:{Path(sys.executable).parent}:/usr/bin:/bin"
    homes = {"ROCM_HOME": "/opt/rocm"} if way.dialect is Dialect.HIP else {"CUDA_HOME": toolkit.TARGET}
    env = {"PATH": path, "FORCE_CUDA": "1", "TORCH_CUDA_ARCH_LIST": "8.0", **homes, **way.switches}
    return sandbox.run(argv, mounts=mounts, cwd=_SOURCE, env=env, limits=_LIMITS)


def _out_of_time(ended: Finished) -> bool:
    return ended.timed_out or ended.exit_code == OUT_OF_TIME


def _told(record: Path) -> Told:
    try:
        return msgspec.json.decode(read_left(record), type=Told)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, BadDatabase):
        return Told()


def _setups(tree: Tree) -> list[str]:
    named = (path for path in tree.named("setup.py") if not vendored(path))
    return [path for path in named if _DECLARES.search(tree.content(path))][:_MOST]


def _modules(tree: Tree) -> list[str]:
    named = (path for path in tree.files if path.endswith(".py") and not vendored(path))
    compiling = (
        path for path in named if b"cpp_extension" in (text := tree.content(path)) and _ON_THE_SPOT.search(text)
    )
    return [path for path, _ in zip(compiling, range(_MOST_MODULES), strict=False)]


def _reason(ended: Finished | None) -> str:
    if ended is None:
        return "there is none"
    if ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    lines = ended.text.strip().splitlines()
    return lines[-1][:200] if lines else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Setuptools()
