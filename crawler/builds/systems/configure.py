"""Run a `configure` script and then make, with stub compilers, in a private copy."""

from __future__ import annotations

import posixpath
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.checkout.clean_copy import make_clean_copy
from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_tree import SourceTree, is_vendored, open_tree
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.make.make_session import MakeSession, MakeWorkspace
from crawler.builds.make.makefiles import DEVICE_WORDS, Makefiles, is_value_variable
from crawler.builds.stub_toolchain import cuda_toolkit, stub_compilers
from crawler.builds.stub_toolchain.stub_compilers import ROCM_HOME, SOURCE_MOUNT, Phase
from crawler.builds.systems.make import learn_by_dry_run, learn_by_recording
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=60, file_bytes=64 << 20)
_OPTION: Final = re.compile(
    r"--(enable|with)-([a-z][a-z0-9_-]{1,40}?)(?=[^a-z0-9_-]|$)(=?)"
)
_AUTOCONF: Final = "--disable-dependency-tracking"
_TEMPLATES: Final = (
    "configure.ac",
    "configure.in",
    "Makefile.in",
    "Makefile.am",
    "Makefile",
)
_MOST: Final = 4
_LOGGED: Final = 4 << 10


@dataclass(frozen=True, slots=True)
class _Run:
    tree: SourceTree
    script: str
    options: tuple[str, ...]
    limits: Limits


class Configure:
    """Runs the outermost `configure` scripts of a tree, with what asks for CUDA or HIP by its
    name, and then make.
    """

    name = "configure"
    order = 40
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a `configure` script that, or whose templates, speak of device
        code.
        """
        return bool(_scripts(tree))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what the configured project would compile; each dialect that it can be
        configured for is tried.
        """
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")
        told = MakeSession(load_include_graph(tree))
        for number, (script, options) in enumerate(_variants(tree)):
            if (limits := told.limit_time(_LIMITS)) is not None:
                place = scratch / str(number)
                place.mkdir()
                ended = _configured(_Run(tree, script, options, limits), place, told)
        if not told.commands:
            message = f"what `configure` left compiles none of these files ({_reason(ended)}): see the log"
            output = "\n".join(told.logs)
            raise ConfigureFailed(
                message, argv=ended.argv, exit_code=ended.exit_code, output=output
            )
        return FoundCommands(
            commands=tuple(told.commands),
            log="\n".join(told.logs),
            generated=told.build_output.files,
        )


def _variants(tree: SourceTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    for script in _scripts(tree):
        text = tree.read_text(script)
        for options in _options(text):
            yield script, options


def _configured(run: _Run, place: Path, told: MakeSession) -> CompletedProcess:
    """Configure a private copy of the project, and ask the Makefiles that it then has."""
    copied = make_clean_copy(run.tree, place / "source")
    source = Mount(source=copied, target=SOURCE_MOUNT, writable=True)
    stubs = stub_compilers.write_stub_toolchain(place / "configuring", Phase.CONFIGURE)
    folder = posixpath.join(SOURCE_MOUNT, posixpath.dirname(run.script))
    argv = ("/bin/sh", "./configure", *run.options)
    mounts = (source, *stubs.mounts)
    ended = sandbox.run(
        argv, mounts=mounts, cwd=folder, env=dict(stubs.environment), limits=run.limits
    )
    told.logs.append(
        f"{run.script} {shlex.join(run.options)}: exit code {ended.exit_code}\n{ended.text[-_LOGGED:]}"
    )
    told.add_build_output(copied)
    makefiles = Makefiles(told.graph, open_tree(copied))
    made = MakeWorkspace(source=source, scratch=place, is_clean=False)
    learn_by_dry_run(makefiles, made, told)
    if makefiles.select_folders_to_run(told.covered_files):
        learn_by_recording(makefiles, made, told)
    return ended


def _scripts(tree: SourceTree) -> list[str]:
    found = [
        path
        for path in tree.find_named("configure")
        if not is_vendored(path) and _is_shell(tree, path)
    ]
    outermost = [
        path
        for path in found
        if not any(_below(path, other) for other in found if other != path)
    ]
    return [path for path in outermost if _speaks_of_devices(tree, path)][:_MOST]


def _is_shell(tree: SourceTree, path: str) -> bool:
    return bool(re.match(rb"#!.*\bsh\b|: ", tree.read_bytes(path)[:80]))


def _below(path: str, other: str) -> bool:
    folder = posixpath.dirname(other)
    return not folder or path.startswith(folder + "/")


def _speaks_of_devices(tree: SourceTree, script: str) -> bool:
    folder = posixpath.dirname(script)
    inside = (
        path
        for path in tree.find_named(*_TEMPLATES)
        if not folder or path.startswith(folder + "/")
    )
    return any(DEVICE_WORDS.search(tree.read_text(path)) for path in (script, *inside))


def _options(text: str) -> list[tuple[str, ...]]:
    """Return the options that ask for CUDA, and those that ask for HIP; none where there are
    none.
    """
    common = (_AUTOCONF,) if _AUTOCONF in text or "dependency-tracking" in text else ()
    sets = [_asked(text, dialect) for dialect in (Dialect.CUDA, Dialect.HIP)]
    found = [common + options for options in dict.fromkeys(sets) if options]
    return found or [common]


def _asked(text: str, dialect: Dialect) -> tuple[str, ...]:
    home = ROCM_HOME if dialect is Dialect.HIP else cuda_toolkit.MOUNT_POINT
    asked: dict[str, str] = {}
    for kind, name, equals in _OPTION.findall(text):
        macro = name.upper().replace("-", "_")
        if is_device_switch(macro, dialect) and not is_value_variable(macro):
            given = f"={home}" if kind == "with" and equals else ""
            asked[f"--{kind}-{name}"] = given or asked.get(f"--{kind}-{name}", "")
    return tuple(name + given for name, given in asked.items())


def _reason(ended: CompletedProcess) -> str:
    return (
        f"it took over {_LIMITS.seconds:.0f} seconds"
        if ended.timed_out
        else f"exit code {ended.exit_code}"
    )


PLUGIN: Final[BuildSystem] = Configure()
