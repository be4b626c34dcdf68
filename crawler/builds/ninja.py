"""What the `build.ninja` files of a tree would compile, as Ninja itself tells it; nothing is built."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.commands.entries import decode_entries, translate
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.tree import Tree
from crawler.builds.reading.untrusted import LARGEST
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import FlagsOrigin
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

_NAME: Final = "build.ninja"
_SOURCE: Final = "/src"
_MOST: Final = 16
_LIMITS: Final = Limits(seconds=30, cpu_seconds=30, memory_bytes=4 << 30, file_bytes=LARGEST)


class Ninja:
    """Asks `ninja -t compdb` for every `build.ninja`, the one nearest to the root first."""

    name = "ninja"
    order = 40
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether there is a `build.ninja`."""
        return bool(tree.named(_NAME))

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Return what all of them would compile of the tree's files."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")
        mount = Mount(source=tree.root, target=_SOURCE)
        told = [_told(tree, posixpath.dirname(path), mount) for path in tree.named(_NAME)[:_MOST]]
        commands = tuple(command for one in told for command in one.commands)
        log = "\n".join(one.log for one in told)
        if not commands:
            raise ConfigureFailed("no build.ninja compiles any of these files: see the log", output=log)
        return Yield(commands=commands, log=log)


def _told(tree: Tree, folder: str, mount: Mount) -> Yield:
    """Ninja may have been written for another place: then what its entries have in common with the tree decides."""
    base = posixpath.join(_SOURCE, folder).rstrip("/")
    ended = _ask(base, mount)
    try:
        entries = decode_entries(ended.output, _NAME)
        ours = any(entry.file.startswith(_SOURCE + "/") or not entry.file.startswith("/") for entry in entries)
        prefix = _SOURCE if ours else ""
        told = translate(entries, include_graph(tree), base=base, origin=FlagsOrigin.EXPORTED, prefix=prefix)
    except BadDatabase as error:
        return Yield(commands=(), log=f"{folder or '.'}: {error}\n{ended.errors.decode('utf-8', 'replace')}")
    return Yield(commands=told.commands, log=f"{folder or '.'}: {len(told.commands)} commands\n{told.log}")


def _ask(folder: str, mount: Mount) -> Finished:
    argv = ("ninja", "-t", "compdb", "-x")
    return sandbox.run(argv, mounts=(mount,), cwd=folder, limits=_LIMITS, keep=LARGEST)


PLUGIN: Final[BuildSystem] = Ninja()
