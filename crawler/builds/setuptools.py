"""What a `setup.py` declares, in the sandbox: torch is not needed, nothing is compiled."""

from __future__ import annotations

import posixpath
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from crawler import sandbox
from crawler.builds import standin, toolkit
from crawler.builds.copy import private_copy, wants_to_write
from crawler.builds.entries import Entry, translate
from crawler.builds.hints import switches_on
from crawler.builds.includes import include_graph
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.scan import DEVICE_SOURCES, suffix
from crawler.builds.tree import Tree, vendored
from crawler.builds.untrusted import read_left
from crawler.errors import BadDatabase, ConfigureFailed
from crawler.model import Dialect, FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_RECORD: Final = "/record"
_MOST: Final = 8
_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=256 << 20)
_READS: Final = re.compile(r"""(?:environ(?:\.get|\.setdefault)?[\[(]|getenv\()\s?["']([A-Z][A-Z0-9_]{2,60})["']""")
_IS_VALUE: Final = re.compile(r"HOME|PATH|ARCH|ARCHS|LIST|ROOT|DIR|FLAGS|DEVICES|CACHE|URL")
# what torch's own extension builder adds
_TORCH_STANDARD: Final = "-std=c++17"
_HELD_BACK: Final = ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")
_TORCH_NVCC: Final = tuple(f"-D__CUDA_NO_{what}__" for what in _HELD_BACK)


class Declared(msgspec.Struct):
    """An extension as a `setup.py` declares it."""

    name: Any = ""
    sources: list[Any] = []
    include_dirs: list[Any] | None = None
    define_macros: list[Any] | None = None
    undef_macros: list[Any] | None = None
    extra_compile_args: dict[str, Any] | list[Any] | None = None

    def entries(self, directory: str) -> Iterator[Entry]:
        """Yield what compiling each source would look like."""
        for source in filter(_is_word, self.sources):
            device = suffix(source) in DEVICE_SOURCES
            compiler = ["nvcc", *_TORCH_NVCC] if device else ["g++"]
            flags = [*self._flags("nvcc" if device else "cxx"), *self._macros(), *self._includes()]
            if suffix(source) != "c" and not any("std=" in flag for flag in flags):
                flags.append(_TORCH_STANDARD)
            yield Entry(file=source, directory=directory, arguments=[*compiler, *flags, source])

    def _flags(self, compiler: str) -> list[str]:
        given = self.extra_compile_args or []
        return [*filter(_is_word, given.get(compiler) or [] if isinstance(given, dict) else given)]

    def _macros(self) -> Iterator[str]:
        yield f"-DTORCH_EXTENSION_NAME={posixpath.basename(str(self.name).replace('.', '/'))}"
        for pair in self.define_macros or []:
            if isinstance(pair, list) and len(pair) == 2:
                yield f"-D{pair[0]}" if pair[1] is None else f"-D{pair[0]}={pair[1]}"
        yield from (f"-U{name}" for name in self.undef_macros or [])

    def _includes(self) -> Iterator[str]:
        return (f"-I{folder}" for folder in filter(_is_word, self.include_dirs or []))


class Setuptools:
    """Runs every `setup.py` that speaks of extensions with stand-ins for torch and setuptools."""

    name = "setuptools"
    order = 30
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether a `setup.py` declares extensions."""
        return bool(_setups(tree))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return a command for every source of every extension that is declared."""
        mounts = (toolkit.lay_out(scratch / "toolkit"), *sandbox.python_mounts())
        logs: list[str] = []
        for source in _sources(tree, scratch, logs):
            told = [_tell(tree, setup, scratch, (source, *mounts)) for setup in _setups(tree)]
            logs += [one.log for one, _ in told]
            commands = tuple(command for one, _ in told for command in one.commands)
            if commands:
                return Yield(commands=commands, log="\n".join(logs))
        ended = told[0][1]
        message = f"no setup.py declared an extension of these files ({_reason(ended)}): see the log"
        raise ConfigureFailed(message, argv=ended.argv, exit_code=ended.exit_code, output="\n".join(logs))


def _sources(tree: Tree, scratch: Path, logs: list[str]) -> Iterator[Mount]:
    """Yield the checkout as it is, unwritable, and for a project that must write there, a copy."""
    yield Mount(source=tree.root, target=_SOURCE)
    if any(map(wants_to_write, logs)):
        yield Mount(source=private_copy(tree, scratch / "source"), target=_SOURCE, writable=True)


def _tell(tree: Tree, setup: str, scratch: Path, mounts: tuple[Mount, ...]) -> tuple[Yield, Finished]:
    record = Path(tempfile.mkdtemp(dir=scratch))
    place = Mount(source=record, target=_RECORD, writable=True)
    ended = _run(setup, _switches(tree.text(setup)), (*mounts, place))
    told = _recorded(record / "declared.json", posixpath.dirname(setup), tree)
    log = f"{setup}: {len(told.commands)} commands\n{told.log}\n{ended.text}"
    return Yield(commands=told.commands, log=log), ended


def _setups(tree: Tree) -> list[str]:
    named = (path for path in tree.named("setup.py") if not vendored(path))
    return [path for path in named if b"xtension" in tree.content(path)][:_MOST]


def _switches(text: str) -> dict[str, str]:
    """Set the environment variables that, by their names, ask for CUDA."""
    names = dict.fromkeys(_READS.findall(text))
    wanted = (name for name in names if switches_on(name, Dialect.CUDA))
    return {name: "1" for name in wanted if not any(map(_IS_VALUE.fullmatch, name.split("_")))}


def _run(setup: str, switches: dict[str, str], mounts: tuple[Mount, ...]) -> Finished:
    argv = (
        sys.executable,
        "-B",
        str(Path(standin.__file__).resolve()),
        f"{_SOURCE}/{setup}",
        f"{_RECORD}/declared.json",
    )
    path = f"{toolkit.TARGET}/bin:/usr/bin:/bin"
    env = {"PATH": path, "CUDA_HOME": toolkit.TARGET, "FORCE_CUDA": "1", "TORCH_CUDA_ARCH_LIST": "8.0", **switches}
    return sandbox.run(argv, mounts=mounts, cwd=_SOURCE, env=env, limits=_LIMITS)


def _recorded(record: Path, folder: str, tree: Tree) -> Yield:
    try:
        declared = msgspec.json.decode(read_left(record), type=list[Declared])
        entries = [entry for one in declared for entry in one.entries(posixpath.join(_SOURCE, folder).rstrip("/"))]
        graph = include_graph(tree)
        return translate(entries, graph, base=_SOURCE, origin=FlagsOrigin.RECORDED, prefix=_SOURCE)
    except (msgspec.MsgspecError, RecursionError, BadDatabase) as error:
        return Yield(commands=(), log=str(error))


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _reason(ended: Finished) -> str:
    if ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    lines = ended.text.strip().splitlines()
    return lines[-1][:200] if lines else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Setuptools()
