"""Read the compile commands of existing `build.ninja` files with `ninja -t compdb`."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.checkout.untrusted_files import MAX_UNTRUSTED_BYTES
from crawler.builds.commands.database_entries import decode_entries, translate_entries
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import FlagsOrigin
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount

_NAME: Final = "build.ninja"
_SOURCE: Final = "/src"
_MOST: Final = 16
_LIMITS: Final = Limits(
    seconds=30, cpu_seconds=30, memory_bytes=4 << 30, file_bytes=MAX_UNTRUSTED_BYTES
)


class Ninja:
    """Asks `ninja -t compdb` for every `build.ninja`, the one nearest to the root first."""

    name = "ninja"
    order = 40
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a `build.ninja`."""
        return bool(tree.find_named(_NAME))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what all of them would compile of the tree's files."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")
        mount = Mount(source=tree.root, target=_SOURCE)
        told = [
            _told(tree, posixpath.dirname(path), mount)
            for path in tree.find_named(_NAME)[:_MOST]
        ]
        commands = tuple(command for one in told for command in one.commands)
        log = "\n".join(one.log for one in told)
        if not commands:
            raise ConfigureFailed(
                "no build.ninja compiles any of these files: see the log", output=log
            )
        return FoundCommands(commands=commands, log=log)


def _told(tree: SourceTree, folder: str, mount: Mount) -> FoundCommands:
    """Ninja may have been written for another place: then what its entries have in common with
    the tree decides.
    """
    base = posixpath.join(_SOURCE, folder).rstrip("/")
    ended = _ask(base, mount)
    try:
        entries = decode_entries(ended.output, _NAME)
        ours = any(
            entry.file.startswith(_SOURCE + "/") or not entry.file.startswith("/")
            for entry in entries
        )
        prefix = _SOURCE if ours else ""
        told = translate_entries(
            entries,
            load_include_graph(tree),
            base_folder=base,
            origin=FlagsOrigin.EXPORTED,
            recorded_root=prefix,
        )
    except BadDatabase as error:
        return FoundCommands(
            commands=(),
            log=f"{folder or '.'}: {error}\n{ended.errors.decode('utf-8', 'replace')}",
        )
    return FoundCommands(
        commands=told.commands,
        log=f"{folder or '.'}: {len(told.commands)} commands\n{told.log}",
    )


def _ask(folder: str, mount: Mount) -> CompletedProcess:
    argv = ("ninja", "-t", "compdb", "-x")
    return sandbox.run(
        argv, mounts=(mount,), cwd=folder, limits=_LIMITS, keep=MAX_UNTRUSTED_BYTES
    )


PLUGIN: Final[BuildSystem] = Ninja()
