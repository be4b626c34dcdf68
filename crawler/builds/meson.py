"""What Meson exports when a project is configured: in the sandbox, without a GPU toolkit."""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.commands.entries import NAME, decode_entries, translate
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.hints import switches_on
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.tree import Tree, vendored
from crawler.builds.reading.untrusted import read_left
from crawler.builds.stubs import toolkit
from crawler.builds.trees.copy import private_copy, wants_to_write
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import Dialect, FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_BUILD: Final = "/build"
_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=256 << 20)
_MOST: Final = 4
_MOST_SWITCHES: Final = 40
_PROJECT: Final = re.compile(r"^[ \t]*project[ \t]*\(", re.MULTILINE)
_OPTION: Final = re.compile(
    r"\boption\s*\(\s*'([\w-]{1,60})'\s*,[^()]{0,400}?\btype\s*:\s*'(boolean|feature)'", re.DOTALL
)


class Meson:
    """Configures the outermost `meson.build` that begins a project, with what its options say of CUDA switched on."""

    name = "meson"
    order = 60
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is a `meson.build` that begins a project."""
        return bool(_projects(tree))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Configure, and read the database that this leaves."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")
        kits = (toolkit.lay_out(scratch / "toolkit"), *sandbox.python_mounts())
        logs: list[str] = []
        ended = None
        for source in _sources(tree, scratch, logs):
            for folder in _projects(tree):
                for options in dict.fromkeys((_switches(tree, folder), ())):
                    build = Path(tempfile.mkdtemp(dir=scratch))
                    mounts = (source, *kits, Mount(source=build, target=_BUILD, writable=True))
                    ended = _configure(folder, options, mounts)
                    logs.append(f"meson {folder} {' '.join(options)}\n{ended.text}")
                    if (told := _exported(build, tree)) is not None:
                        return Yield(commands=told.commands, log="\n".join([*logs, told.log]))
        message = f"Meson wrote no compile database ({_reason(ended)}): see the log for what it lacks"
        raise ConfigureFailed(message, argv=ended.argv if ended else (), output="\n".join(logs))


def _sources(tree: Tree, scratch: Path, logs: list[str]) -> Iterator[Mount]:
    """Yield the checkout as it is, unwritable, and for a project that must write there, a copy."""
    yield Mount(source=tree.root, target=_SOURCE)
    if any(map(wants_to_write, logs)):
        yield Mount(source=private_copy(tree, scratch / "source"), target=_SOURCE, writable=True)


def _projects(tree: Tree) -> list[str]:
    """Return the folders whose `meson.build` calls `project`, those of other people last, none below another."""
    found: list[str] = []
    for path in sorted(tree.named("meson.build"), key=lambda path: (vendored(path), path.count("/"), path)):
        folder = posixpath.dirname(path)
        below = any(not one or folder.startswith(one + "/") for one in found)
        if not below and _PROJECT.search(tree.text(path)):
            found.append(folder)
    return found[:_MOST]


def _switches(tree: Tree, folder: str) -> tuple[str, ...]:
    """Switch on what the options say, by their names, of CUDA."""
    names = (posixpath.join(folder, name) for name in ("meson.options", "meson_options.txt"))
    options = [found for name in names if name in tree.files for found in _OPTION.findall(tree.text(name))]
    wanted = ((name, kind) for name, kind in options if switches_on(name.replace("-", "_"), Dialect.CUDA))
    return tuple(f"-D{name}={'true' if kind == 'boolean' else 'enabled'}" for name, kind in wanted)[:_MOST_SWITCHES]


def _configure(folder: str, options: tuple[str, ...], mounts: tuple[Mount, ...]) -> Finished:
    program = str(Path(__file__).with_name("mesonrun.py").resolve())
    source = posixpath.join(_SOURCE, folder).rstrip("/")
    argv = (sys.executable, "-B", "-P", program, source, _BUILD, *options)
    path = f"{toolkit.TARGET}/bin:/usr/bin:/bin"
    env = {"PATH": path, "CUDA_PATH": toolkit.TARGET, "CUDA_HOME": toolkit.TARGET}
    return sandbox.run(argv, mounts=mounts, cwd=_BUILD, env=env, limits=_LIMITS)


def _exported(build: Path, tree: Tree) -> Yield | None:
    try:
        entries = decode_entries(read_left(build / NAME))
        return translate(entries, include_graph(tree), base=_BUILD, origin=FlagsOrigin.EXPORTED, prefix=_SOURCE)
    except BadDatabase:
        return None


def _reason(ended: Finished | None) -> str:
    if ended is None or ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    found = re.search(r"ERROR:?\s*([^\n]*)", ended.text)
    return found.group(1).strip()[:200] if found else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Meson()
