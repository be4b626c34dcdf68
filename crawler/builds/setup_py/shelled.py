"""What a `setup.py` has others build: it runs with the real setuptools, and what it calls finds stub compilers."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from crawler import sandbox
from crawler.builds.commands.entries import NAME, Entry, Placing, decode_entries, translate
from crawler.builds.commands.response import expand
from crawler.builds.interface import Yield
from crawler.builds.reading.includes import IncludeGraph
from crawler.builds.reading.tree import Tree, open_tree, vendored
from crawler.builds.reading.untrusted import read_left
from crawler.builds.setup_py import python
from crawler.builds.stubs import recorder
from crawler.builds.stubs.recorder import SOURCE, Phase
from crawler.builds.trees.clean import clean_copy
from crawler.builds.trees.generated import Made, Written, written
from crawler.errors import BadDatabase, TooLarge
from crawler.model import FlagsOrigin
from crawler.process import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=90, file_bytes=256 << 20)
_CALLS: Final = re.compile(r"subprocess|os\.system|os\.exec|\.spawn\(|check_call|popen", re.IGNORECASE)
_BUILDS: Final = re.compile(r"build_ext|cmdclass|nvcc|hipcc|cmake|\bmake\b", re.IGNORECASE)
_MOST: Final = 4
_LOGGED: Final = 8 << 10


def setups(tree: Tree) -> list[str]:
    """Return each `setup.py` that starts programs and speaks of building, other people's aside."""
    own = (path for path in tree.named("setup.py") if not vendored(path))
    return [path for path in own if _CALLS.search(tree.text(path)) and _BUILDS.search(tree.text(path))][:_MOST]


def recorded(tree: Tree, scratch: Path, switches: Mapping[str, str]) -> Yield:
    """Run what `setups` returns in a copy of the tree; without setuptools in this Python nothing runs."""
    if find_spec("setuptools") is None:
        return Yield(commands=(), log="this Python has no setuptools: a setup.py that calls others was not run")
    try:
        copied = clean_copy(tree, scratch / "made")
    except TooLarge as error:
        return Yield(commands=(), log=str(error))
    stubs = recorder.lay_out(scratch / "recorder", Phase.BOTH)
    source = Mount(source=copied, target=SOURCE, writable=True)
    mounts = (*python.mounts(scratch / "scripts"), source, *_beside_python(stubs.mounts))
    environment = {
        **stubs.environment,
        "PATH": f"{stubs.environment['PATH']}:{Path(sys.executable).parent}",
        "CUDAARCHS": "80",
        "MAKEFLAGS": "ki",
        "FORCE_CUDA": "1",
        "PIP_NO_INDEX": "1",
        **switches,
    }
    logs = []
    for setup in setups(tree):
        argv = (sys.executable, "-B", "-P", "-m", "crawler.builds.setup_py.standin.real", f"{SOURCE}/{setup}")
        ended = sandbox.run(argv, mounts=mounts, cwd=SOURCE, env=environment, limits=_LIMITS)
        logs.append(f"{setup} with setuptools: exit code {ended.exit_code}\n{ended.text[-_LOGGED:]}")
    exported, calls, made = _exported(copied, tree), stubs.recorded(), written(copied, tree)
    graph = IncludeGraph(tree.with_generated(made.files))
    found = [
        _translated(exported, graph, made, FlagsOrigin.EXPORTED),
        _translated(calls.entries, graph, made, FlagsOrigin.RECORDED),
    ]
    logs += [f"{calls.calls} calls of stub compilers", *(one.log for one in found)]
    commands = tuple(command for one in found for command in one.commands)
    return Yield(commands=commands, log="\n".join(logs), generated=made.files)


def _beside_python(mounts: Sequence[Mount]) -> list[Mount]:
    """Leave /usr/local as it is where our own Python lives there."""
    local = any(f"{mount.target}/".startswith("/usr/local/") for mount in sandbox.python_mounts())
    return [mount for mount in mounts if not (local and mount.target == "/usr/local")]


def _exported(copied: Path, tree: Tree) -> list[Entry]:
    """Read the compile databases that a CMake inside has left."""
    entries: list[Entry] = []
    left = open_tree(copied)
    for path in left.named(NAME):
        if path not in tree.files:
            with suppress(BadDatabase):
                entries += decode_entries(read_left(copied / path))
    files = frozenset(left.files)
    return [_expanded(entry, left, files) for entry in entries]


def _expanded(entry: Entry, left: Tree, files: frozenset[str]) -> Entry:
    """Put what response files of the build hold in their place: the checkout does not have them."""
    place = Placing(SOURCE, posixpath.join(SOURCE, entry.directory))

    def text(name: str) -> str | None:
        path = place(name)
        return left.text(path) if path in files else None

    return replace(entry, arguments=list(expand(entry.words(), text)))


def _translated(entries: Sequence[Entry], graph: IncludeGraph, made: Written, origin: FlagsOrigin) -> Yield:
    try:
        return translate(entries, graph, base=SOURCE, origin=origin, prefix=SOURCE, made=Made(written=made))
    except BadDatabase as error:
        return Yield(commands=(), log=str(error))
