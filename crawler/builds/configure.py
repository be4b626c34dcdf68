"""What a project with a `configure` script would compile: configured and made by stub compilers, in a private copy."""

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
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.make import learn, record
from crawler.builds.making.folders import OF_DEVICES, Makefiles, is_value
from crawler.builds.making.run import Place, Told
from crawler.builds.reading.hints import switches_on
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.tree import Tree, open_tree, vendored
from crawler.builds.stubs import recorder, toolkit
from crawler.builds.stubs.recorder import ROCM, SOURCE, Phase
from crawler.builds.trees.clean import clean_copy
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=45, cpu_seconds=60, file_bytes=64 << 20)
_OPTION: Final = re.compile(r"--(enable|with)-([a-z][a-z0-9_-]{1,40}?)(?=[^a-z0-9_-]|$)(=?)")
_AUTOCONF: Final = "--disable-dependency-tracking"
_TEMPLATES: Final = ("configure.ac", "configure.in", "Makefile.in", "Makefile.am", "Makefile")
_MOST: Final = 4
_LOGGED: Final = 4 << 10


@dataclass(frozen=True, slots=True)
class _Run:
    tree: Tree
    script: str
    options: tuple[str, ...]
    limits: Limits


class Configure:
    """Runs the outermost `configure` scripts of a tree, with what asks for CUDA or HIP by its name, and then make."""

    name = "configure"
    order = 40
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is a `configure` script that, or whose templates, speak of device code."""
        return bool(_scripts(tree))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return what the configured project would compile; each dialect that it can be configured for is tried."""
        if shutil.which("make") is None:
            raise MissingTool("make is not installed: run `deploy/bootstrap`")
        told = Told(include_graph(tree))
        for number, (script, options) in enumerate(_variants(tree)):
            if (limits := told.within(_LIMITS)) is not None:
                place = scratch / str(number)
                place.mkdir()
                ended = _configured(_Run(tree, script, options, limits), place, told)
        if not told.commands:
            message = f"what `configure` left compiles none of these files ({_reason(ended)}): see the log"
            output = "\n".join(told.logs)
            raise ConfigureFailed(message, argv=ended.argv, exit_code=ended.exit_code, output=output)
        return Yield(commands=tuple(told.commands), log="\n".join(told.logs), generated=told.made.files)


def _variants(tree: Tree) -> Iterator[tuple[str, tuple[str, ...]]]:
    for script in _scripts(tree):
        text = tree.text(script)
        for options in _options(text):
            yield script, options


def _configured(run: _Run, place: Path, told: Told) -> Finished:
    """Configure a private copy of the project, and ask the Makefiles that it then has."""
    copied = clean_copy(run.tree, place / "source")
    source = Mount(source=copied, target=SOURCE, writable=True)
    stubs = recorder.lay_out(place / "configuring", Phase.CONFIGURE)
    folder = posixpath.join(SOURCE, posixpath.dirname(run.script))
    argv = ("/bin/sh", "./configure", *run.options)
    mounts = (source, *stubs.mounts)
    ended = sandbox.run(argv, mounts=mounts, cwd=folder, env=dict(stubs.environment), limits=run.limits)
    told.logs.append(f"{run.script} {shlex.join(run.options)}: exit code {ended.exit_code}\n{ended.text[-_LOGGED:]}")
    told.look_at(copied)
    makefiles = Makefiles(told.graph, open_tree(copied))
    made = Place(source=source, scratch=place, clean=False)
    learn(makefiles, made, told)
    if makefiles.to_run(told.covered):
        record(makefiles, made, told)
    return ended


def _scripts(tree: Tree) -> list[str]:
    found = [path for path in tree.named("configure") if not vendored(path) and _is_shell(tree, path)]
    outermost = [path for path in found if not any(_below(path, other) for other in found if other != path)]
    return [path for path in outermost if _speaks_of_devices(tree, path)][:_MOST]


def _is_shell(tree: Tree, path: str) -> bool:
    return bool(re.match(rb"#!.*\bsh\b|: ", tree.content(path)[:80]))


def _below(path: str, other: str) -> bool:
    folder = posixpath.dirname(other)
    return not folder or path.startswith(folder + "/")


def _speaks_of_devices(tree: Tree, script: str) -> bool:
    folder = posixpath.dirname(script)
    inside = (path for path in tree.named(*_TEMPLATES) if not folder or path.startswith(folder + "/"))
    return any(OF_DEVICES.search(tree.text(path)) for path in (script, *inside))


def _options(text: str) -> list[tuple[str, ...]]:
    """Return the options that ask for CUDA, and those that ask for HIP; none where there are none."""
    common = (_AUTOCONF,) if _AUTOCONF in text or "dependency-tracking" in text else ()
    sets = [_asked(text, dialect) for dialect in (Dialect.CUDA, Dialect.HIP)]
    found = [common + options for options in dict.fromkeys(sets) if options]
    return found or [common]


def _asked(text: str, dialect: Dialect) -> tuple[str, ...]:
    home = ROCM if dialect is Dialect.HIP else toolkit.TARGET
    asked: dict[str, str] = {}
    for kind, name, equals in _OPTION.findall(text):
        macro = name.upper().replace("-", "_")
        if switches_on(macro, dialect) and not is_value(macro):
            given = f"={home}" if kind == "with" and equals else ""
            asked[f"--{kind}-{name}"] = given or asked.get(f"--{kind}-{name}", "")
    return tuple(name + given for name, given in asked.items())


def _reason(ended: Finished) -> str:
    return f"it took over {_LIMITS.seconds:.0f} seconds" if ended.timed_out else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Configure()
