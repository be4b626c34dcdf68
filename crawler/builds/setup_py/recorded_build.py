"""Run a `setup.py` that starts other build tools, with real setuptools and stub compilers."""

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
from crawler.builds.checkout.clean_copy import make_clean_copy
from crawler.builds.checkout.generated_files import (
    BuildOutput,
    GeneratedPathMapper,
    collect_build_output,
)
from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_tree import SourceTree, is_vendored, open_tree
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.checkout_paths import CheckoutPathMapper
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    decode_entries,
    translate_entries,
)
from crawler.builds.commands.response_files import expand_response_files
from crawler.builds.interface import FoundCommands
from crawler.builds.setup_py import sandbox_python
from crawler.builds.stub_toolchain import stub_compilers
from crawler.builds.stub_toolchain.stub_compilers import SOURCE_MOUNT, Phase
from crawler.errors import BadDatabase, TooLarge
from crawler.model import FlagsOrigin
from crawler.process import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=90, file_bytes=256 << 20)
_CALLS: Final = re.compile(
    r"subprocess|os\.system|os\.exec|\.spawn\(|check_call|popen", re.IGNORECASE
)
_BUILDS: Final = re.compile(
    r"build_ext|cmdclass|nvcc|hipcc|cmake|\bmake\b", re.IGNORECASE
)
_MOST: Final = 4
_LOGGED: Final = 8 << 10


def find_shelling_setups(tree: SourceTree) -> list[str]:
    """Return each `setup.py` that starts programs and speaks of building, other people's aside."""
    own = (path for path in tree.find_named("setup.py") if not is_vendored(path))
    return [
        path
        for path in own
        if _CALLS.search(tree.read_text(path)) and _BUILDS.search(tree.read_text(path))
    ][:_MOST]


def record_setup_builds(
    tree: SourceTree, scratch: Path, switches: Mapping[str, str]
) -> FoundCommands:
    """Run what `setups` returns in a copy of the tree; without setuptools in this Python
    nothing runs.
    """
    if find_spec("setuptools") is None:
        return FoundCommands(
            commands=(),
            log="this Python has no setuptools: a setup.py that calls others was not run",
        )
    try:
        copied = make_clean_copy(tree, scratch / "made")
    except TooLarge as error:
        return FoundCommands(commands=(), log=str(error))
    stubs = stub_compilers.write_stub_toolchain(scratch / "recorder", Phase.BOTH)
    source = Mount(source=copied, target=SOURCE_MOUNT, writable=True)
    mounts = (
        *sandbox_python.make_python_mounts(scratch / "scripts"),
        source,
        *_beside_python(stubs.mounts),
    )
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
    for setup in find_shelling_setups(tree):
        argv = (
            sys.executable,
            "-B",
            "-P",
            "-m",
            "crawler.builds.setup_py.stand_ins.real_setuptools",
            f"{SOURCE_MOUNT}/{setup}",
        )
        ended = sandbox.run(
            argv, mounts=mounts, cwd=SOURCE_MOUNT, env=environment, limits=_LIMITS
        )
        logs.append(
            f"{setup} with setuptools: exit code {ended.exit_code}\n{ended.text[-_LOGGED:]}"
        )
    exported, calls, made = (
        _exported(copied, tree),
        stubs.read_calls(),
        collect_build_output(copied, tree),
    )
    graph = IncludeGraph(tree.with_generated(made.files))
    found = [
        _translated(exported, graph, made, FlagsOrigin.EXPORTED),
        _translated(calls.entries, graph, made, FlagsOrigin.RECORDED),
    ]
    logs += [f"{calls.call_count} calls of stub compilers", *(one.log for one in found)]
    commands = tuple(command for one in found for command in one.commands)
    return FoundCommands(commands=commands, log="\n".join(logs), generated=made.files)


def _beside_python(mounts: Sequence[Mount]) -> list[Mount]:
    """Leave /usr/local as it is where our own Python lives there."""
    local = any(
        f"{mount.target}/".startswith("/usr/local/")
        for mount in sandbox.list_python_mounts()
    )
    return [mount for mount in mounts if not (local and mount.target == "/usr/local")]


def _exported(copied: Path, tree: SourceTree) -> list[DatabaseEntry]:
    """Read the compile databases that a CMake inside has left."""
    entries: list[DatabaseEntry] = []
    left = open_tree(copied)
    for path in left.find_named(DATABASE_NAME):
        if path not in tree.files:
            with suppress(BadDatabase):
                entries += decode_entries(read_untrusted_file(copied / path))
    files = frozenset(left.files)
    return [_expanded(entry, left, files) for entry in entries]


def _expanded(
    entry: DatabaseEntry, left: SourceTree, files: frozenset[str]
) -> DatabaseEntry:
    """Put what response files of the build hold in their place: the checkout does not have them."""
    place = CheckoutPathMapper(
        SOURCE_MOUNT, posixpath.join(SOURCE_MOUNT, entry.directory)
    )

    def text(name: str) -> str | None:
        path = place(name)
        return left.read_text(path) if path in files else None

    return replace(
        entry, arguments=list(expand_response_files(entry.split_words(), text))
    )


def _translated(
    entries: Sequence[DatabaseEntry],
    graph: IncludeGraph,
    made: BuildOutput,
    origin: FlagsOrigin,
) -> FoundCommands:
    try:
        return translate_entries(
            entries,
            graph,
            base_folder=SOURCE_MOUNT,
            origin=origin,
            recorded_root=SOURCE_MOUNT,
            generated_paths=GeneratedPathMapper(output=made),
        )
    except BadDatabase as error:
        return FoundCommands(commands=(), log=str(error))
