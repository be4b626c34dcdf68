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
from crawler.builds.commands.checkout_paths import CheckoutPathMapper
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    decode_entries,
    translate_entries,
)
from crawler.builds.commands.response_files import expand_response_files
from crawler.builds.interface import FoundCommands
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.setup_py import sandbox_python
from crawler.builds.stub_toolchain import stub_compilers
from crawler.builds.stub_toolchain.stub_compilers import StubToolchain
from crawler.builds.stub_toolchain.stub_programs import Phase
from crawler.checkout.clean_copy import make_clean_copy
from crawler.checkout.generated_files import (
    BuildOutput,
    GeneratedPathMapper,
    collect_build_output,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import SourceTree, is_vendored, open_tree
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase, TooLarge
from crawler.model import FlagsOrigin
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=90, file_bytes=256 << 20)
# a sieve over Python's text, whose calls may be hidden in any helper: who passes is run
_STARTS_PROGRAMS: Final = re.compile(
    r"subprocess|os\.system|os\.exec|\.spawn\(|check_call|popen", re.IGNORECASE
)
_MENTIONS_BUILD: Final = re.compile(
    r"build_ext|cmdclass|nvcc|hipcc|cmake|\bmake\b", re.IGNORECASE
)
_MAX_SETUPS: Final = 4
_MAX_LOG_TAIL: Final = 8 << 10


def find_shelling_setups(tree: SourceTree) -> list[str]:
    """Return each `setup.py` of the project that starts programs and mentions building."""
    setups: list[str] = []
    for path in tree.find_named("setup.py"):
        if is_vendored(path):
            continue

        text = tree.read_text(path)
        if _STARTS_PROGRAMS.search(text) and _MENTIONS_BUILD.search(text):
            setups.append(path)

    return setups[:_MAX_SETUPS]


def record_setup_builds(
    tree: SourceTree, scratch: Path, switches: Mapping[str, str]
) -> FoundCommands:
    """Run each shelling `setup.py` in a copy of the tree, and return what it would compile.

    `switches` are variables of the environment. Without setuptools in this Python nothing runs.
    """
    if find_spec("setuptools") is None:
        return FoundCommands(
            commands=(),
            log="this Python has no setuptools: a setup.py that calls others was not run",
        )

    try:
        private_copy = make_clean_copy(tree, scratch / "made")
    except TooLarge as error:
        return FoundCommands(
            commands=(),
            log=str(error),
        )

    toolchain = stub_compilers.write_stub_toolchain(scratch / "recorder", Phase.BOTH)
    logs = _run_setups(tree, private_copy, scratch, toolchain, switches)

    exported_entries = _read_exported_databases(private_copy, tree)
    record = toolchain.read_calls()
    build_output = collect_build_output(private_copy, tree, mounts={SOURCE_MOUNT: ""})
    graph = IncludeGraph(tree.with_generated(build_output.files))
    exported = _translate(exported_entries, graph, build_output, FlagsOrigin.EXPORTED)
    recorded = _translate(record.entries, graph, build_output, FlagsOrigin.RECORDED)

    logs.append(f"{record.call_count} calls of stub compilers")
    logs.append(exported.log)
    logs.append(recorded.log)

    return FoundCommands(
        commands=exported.commands + recorded.commands,
        log="\n".join(logs),
        generated=build_output.files,
    )


def _run_setups(
    tree: SourceTree,
    private_copy: Path,
    scratch: Path,
    toolchain: StubToolchain,
    switches: Mapping[str, str],
) -> list[str]:
    """Run each shelling `setup.py`, one after the other in one copy, and return their logs."""
    mounts = (
        *sandbox_python.make_python_mounts(scratch / "scripts"),
        Mount(
            source=private_copy,
            target=SOURCE_MOUNT,
            writable=True,
        ),
        *_remove_covering_mounts(toolchain.mounts),
    )

    environment = _make_environment(toolchain, switches)

    logs: list[str] = []

    for setup in find_shelling_setups(tree):
        argv = (
            sys.executable,
            "-B",
            "-P",
            "-m",
            "crawler.builds.setup_py.stand_ins.real_setuptools",
            f"{SOURCE_MOUNT}/{setup}",
        )

        completed = sandbox.run(
            argv,
            mounts=mounts,
            cwd=SOURCE_MOUNT,
            env=environment,
            limits=_LIMITS,
        )

        log_tail = completed.text[-_MAX_LOG_TAIL:]
        logs.append(
            f"{setup} with setuptools: exit code {completed.exit_code}\n{log_tail}"
        )

    return logs


def _make_environment(
    toolchain: StubToolchain, switches: Mapping[str, str]
) -> dict[str, str]:
    python_folder = Path(sys.executable).parent

    return {
        **toolchain.environment,
        "PATH": f"{toolchain.environment['PATH']}:{python_folder}",
        "CUDAARCHS": "80",
        # Like `make -k -i`, for every make that the project starts.
        "MAKEFLAGS": "ki",
        "FORCE_CUDA": "1",
        "PIP_NO_INDEX": "1",
        **switches,
    }


def _remove_covering_mounts(mounts: Sequence[Mount]) -> list[Mount]:
    """Leave out the mount over /usr/local where our own Python lives there."""
    is_python_local = any(
        f"{mount.target}/".startswith("/usr/local/")
        for mount in sandbox.list_python_mounts()
    )

    if not is_python_local:
        return list(mounts)

    return [mount for mount in mounts if mount.target != "/usr/local"]


def _read_exported_databases(
    private_copy: Path, tree: SourceTree
) -> list[DatabaseEntry]:
    """Return the entries of the databases that a CMake, started by a `setup.py`, has left."""
    copied_tree = open_tree(private_copy)
    entries: list[DatabaseEntry] = []

    # A database of the checkout itself is read by another build system.
    for path in copied_tree.find_named(DATABASE_NAME):
        if path in tree.files:
            continue

        with suppress(BadDatabase):
            entries += decode_entries(read_untrusted_file(private_copy / path))

    files = frozenset(copied_tree.files)

    return [_expand_entry(entry, copied_tree, files) for entry in entries]


def _expand_entry(
    entry: DatabaseEntry, copied_tree: SourceTree, files: frozenset[str]
) -> DatabaseEntry:
    """Replace response files of the build by their words: the checkout does not have them."""
    folder = posixpath.join(SOURCE_MOUNT, entry.directory)
    map_path = CheckoutPathMapper(SOURCE_MOUNT, folder)

    def read_response_file(name: str) -> str | None:
        path = map_path(name)
        return copied_tree.read_text(path) if path in files else None

    words = expand_response_files(entry.split_words(), read_response_file)

    return replace(entry, arguments=list(words))


def _translate(
    entries: Sequence[DatabaseEntry],
    graph: IncludeGraph,
    build_output: BuildOutput,
    origin: FlagsOrigin,
) -> FoundCommands:
    try:
        return translate_entries(
            entries,
            graph,
            base_folder=SOURCE_MOUNT,
            origin=origin,
            recorded_root=SOURCE_MOUNT,
            generated_paths=GeneratedPathMapper(output=build_output),
        )
    except BadDatabase as error:
        return FoundCommands(
            commands=(),
            log=str(error),
        )
