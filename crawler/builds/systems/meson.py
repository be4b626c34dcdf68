"""Configure with Meson in the sandbox, and read the exported compile commands."""

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
from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.builds.checkout.tree_copies import is_write_refused, make_private_copy
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    decode_entries,
    translate_entries,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.meson import PROGRAM
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import Dialect, FlagsOrigin
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_SOURCE: Final = "/src"
_BUILD: Final = "/build"
_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=256 << 20)
_MOST: Final = 4
_MOST_SWITCHES: Final = 40
_PROJECT: Final = re.compile(r"^[ \t]*project[ \t]*\(", re.MULTILINE)
_OPTION: Final = re.compile(
    r"\boption\s*\(\s*'([\w-]{1,60})'\s*,[^()]{0,400}?\btype\s*:\s*'(boolean|feature)'",
    re.DOTALL,
)


class Meson:
    """Configures the outermost `meson.build` that begins a project, with what its options say
    of CUDA switched on.
    """

    name = "meson"
    order = 60
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a `meson.build` that begins a project."""
        return bool(_projects(tree))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Configure, and read the database that this leaves."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")
        kits = (
            cuda_toolkit.write_cuda_toolkit(scratch / "toolkit"),
            *sandbox.list_python_mounts(),
        )
        logs: list[str] = []
        ended = None
        for source in _sources(tree, scratch, logs):
            for folder in _projects(tree):
                for options in dict.fromkeys((_switches(tree, folder), ())):
                    build = Path(tempfile.mkdtemp(dir=scratch))
                    mounts = (
                        source,
                        *kits,
                        Mount(source=build, target=_BUILD, writable=True),
                    )
                    ended = _configure(folder, options, mounts)
                    logs.append(f"meson {folder} {' '.join(options)}\n{ended.text}")
                    if (told := _exported(build, tree)) is not None:
                        return FoundCommands(
                            commands=told.commands, log="\n".join([*logs, told.log])
                        )
        message = f"Meson wrote no compile database ({_reason(ended)}): see the log for what it lacks"
        raise ConfigureFailed(
            message, argv=ended.argv if ended else (), output="\n".join(logs)
        )


def _sources(tree: SourceTree, scratch: Path, logs: list[str]) -> Iterator[Mount]:
    """Yield the checkout as it is, unwritable, and for a project that must write there, a copy."""
    yield Mount(source=tree.root, target=_SOURCE)
    if any(map(is_write_refused, logs)):
        yield Mount(
            source=make_private_copy(tree, scratch / "source"),
            target=_SOURCE,
            writable=True,
        )


def _projects(tree: SourceTree) -> list[str]:
    """Return the folders whose `meson.build` calls `project`, those of other people last, none
    below another.
    """
    found: list[str] = []
    for path in sorted(
        tree.find_named("meson.build"),
        key=lambda path: (is_vendored(path), path.count("/"), path),
    ):
        folder = posixpath.dirname(path)
        below = any(not one or folder.startswith(one + "/") for one in found)
        if not below and _PROJECT.search(tree.read_text(path)):
            found.append(folder)
    return found[:_MOST]


def _switches(tree: SourceTree, folder: str) -> tuple[str, ...]:
    """Switch on what the options say, by their names, of CUDA."""
    names = (
        posixpath.join(folder, name) for name in ("meson.options", "meson_options.txt")
    )
    options = [
        found
        for name in names
        if name in tree.files
        for found in _OPTION.findall(tree.read_text(name))
    ]
    wanted = (
        (name, kind)
        for name, kind in options
        if is_device_switch(name.replace("-", "_"), Dialect.CUDA)
    )
    return tuple(
        f"-D{name}={'true' if kind == 'boolean' else 'enabled'}"
        for name, kind in wanted
    )[:_MOST_SWITCHES]


def _configure(
    folder: str, options: tuple[str, ...], mounts: tuple[Mount, ...]
) -> CompletedProcess:
    program = str(PROGRAM.resolve())
    source = posixpath.join(_SOURCE, folder).rstrip("/")
    argv = (sys.executable, "-B", "-P", program, source, _BUILD, *options)
    path = f"{cuda_toolkit.MOUNT_POINT}/bin:/usr/bin:/bin"
    env = {
        "PATH": path,
        "CUDA_PATH": cuda_toolkit.MOUNT_POINT,
        "CUDA_HOME": cuda_toolkit.MOUNT_POINT,
    }
    return sandbox.run(argv, mounts=mounts, cwd=_BUILD, env=env, limits=_LIMITS)


def _exported(build: Path, tree: SourceTree) -> FoundCommands | None:
    try:
        entries = decode_entries(read_untrusted_file(build / DATABASE_NAME))
        return translate_entries(
            entries,
            load_include_graph(tree),
            base_folder=_BUILD,
            origin=FlagsOrigin.EXPORTED,
            recorded_root=_SOURCE,
        )
    except BadDatabase:
        return None


def _reason(ended: CompletedProcess | None) -> str:
    if ended is None or ended.timed_out:
        return f"it took over {_LIMITS.seconds:.0f} seconds"
    found = re.search(r"ERROR:?\s*([^\n]*)", ended.text)
    return found.group(1).strip()[:200] if found else f"exit code {ended.exit_code}"


PLUGIN: Final[BuildSystem] = Meson()
