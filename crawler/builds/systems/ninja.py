"""Read the compile commands of existing `build.ninja` files with `ninja -t compdb`."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.commands.database_entries import (
    DatabaseEntry,
    decode_entries,
    translate_entries,
)
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import SourceTree
from crawler.checkout.untrusted_files import MAX_UNTRUSTED_BYTES
from crawler.errors import BadDatabase, ConfigureFailed, MissingTool
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

_FILE_NAME: Final = "build.ninja"
_MAX_FILES: Final = 16
_LIMITS: Final = Limits(
    seconds=30,
    cpu_seconds=30,
    memory_bytes=4 << 30,
    file_bytes=MAX_UNTRUSTED_BYTES,
)


class Ninja:
    """Asks `ninja -t compdb` for every `build.ninja`, the one nearest to the root first."""

    name = "ninja"
    order = 40
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether there is a `build.ninja`."""
        return bool(tree.find_named(_FILE_NAME))

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return what all of them would compile of the tree's files."""
        if shutil.which("ninja") is None:
            raise MissingTool("ninja is not installed: run `deploy/bootstrap`")

        source = Mount(
            source=tree.root,
            target=SOURCE_MOUNT,
        )

        commands: list[CompileCommand] = []
        logs: list[str] = []

        for path in tree.find_named(_FILE_NAME)[:_MAX_FILES]:
            exported = _read_build_file(tree, posixpath.dirname(path), source)
            commands.extend(exported.commands)
            logs.append(exported.log)

        log = "\n".join(logs)
        if not commands:
            raise ConfigureFailed(
                "no build.ninja compiles any of these files: see the log", output=log
            )

        return FoundCommands(
            commands=tuple(commands),
            log=log,
        )


def _read_build_file(tree: SourceTree, folder: str, source: Mount) -> FoundCommands:
    mounted_folder = posixpath.join(SOURCE_MOUNT, folder).rstrip("/")
    ninja_run = _export_database(mounted_folder, source)

    try:
        entries = decode_entries(ninja_run.output, _FILE_NAME)
        exported = translate_entries(
            entries,
            load_include_graph(tree),
            base_folder=mounted_folder,
            origin=FlagsOrigin.EXPORTED,
            recorded_root=_find_recorded_root(entries),
        )
    except BadDatabase as error:
        errors = ninja_run.errors.decode("utf-8", "replace")

        return FoundCommands(
            commands=(),
            log=f"{folder or '.'}: {error}\n{errors}",
        )

    count = len(exported.commands)

    return FoundCommands(
        commands=exported.commands,
        log=f"{folder or '.'}: {count} commands\n{exported.log}",
    )


def _find_recorded_root(entries: Sequence[DatabaseEntry]) -> str:
    """Return where the checkout lay when the file was written; empty where it must be guessed.

    A file with absolute paths alone was generated in another place.
    """
    for entry in entries:
        if entry.file.startswith(SOURCE_MOUNT + "/") or not entry.file.startswith("/"):
            return SOURCE_MOUNT

    return ""


def _export_database(folder: str, source: Mount) -> CompletedProcess:
    return sandbox.run(
        ("ninja", "-t", "compdb", "-x"),
        mounts=(source,),
        cwd=folder,
        limits=_LIMITS,
        keep=MAX_UNTRUSTED_BYTES,
    )


PLUGIN: Final[BuildSystem] = Ninja()
