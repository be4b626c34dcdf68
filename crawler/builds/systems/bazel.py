"""Read compile commands from Bazel BUILD files; nothing is run."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler.builds.bazel.target_commands import TargetReader
from crawler.builds.bazel.workspace import BUILD_FILES, WORKSPACE_FILES, Workspace
from crawler.builds.commands.database_entries import DatabaseEntry, translate_entries
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.errors import ConfigureFailed
from crawler.model import Dialect, FlagsOrigin

_ROOT: Final = "/tree"
_MAX_WORKSPACES: Final = 16
_MAX_READ_BUILD_FILES: Final = 200


class Bazel:
    """Reads the BUILD files of every workspace, for CUDA and, where there is HIP code, for HIP."""

    name = "bazel"
    order = 60
    executes = False

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a BUILD file of the project's own has sources."""
        build_files = tree.find_named(*BUILD_FILES)[:_MAX_READ_BUILD_FILES]

        return any(
            not is_vendored(path) and b"srcs" in tree.read_bytes(path)
            for path in build_files
        )

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Return a command for every source of every target that is declared."""
        graph = load_include_graph(tree)
        entries: list[DatabaseEntry] = []
        logs: list[str] = []

        for root in _find_workspaces(tree):
            for dialect in _iter_dialects(graph, root):
                workspace = Workspace(tree, root, dialect)
                entries += TargetReader(graph, workspace, dialect).list_entries()
                logs.append(
                    f"{root or '.'} for {dialect}: {len(workspace.targets)} targets"
                )
                logs += workspace.problems

        if not entries:
            raise ConfigureFailed(
                "no BUILD file names a source that is here: see the log",
                output="\n".join(logs),
            )

        # The labels are relative to the workspace, which lies below this root.
        translated = translate_entries(
            entries,
            graph,
            base_folder=_ROOT,
            origin=FlagsOrigin.RECORDED,
            recorded_root=_ROOT,
        )

        logs.append(translated.log)

        return FoundCommands(
            commands=translated.commands,
            log="\n".join(logs),
        )


def _find_workspaces(tree: SourceTree) -> list[str]:
    """Return the folders of workspaces, outermost first; the root where there is none."""
    folders = {
        posixpath.dirname(path)
        for path in tree.find_named(*WORKSPACE_FILES)
        if not is_vendored(path)
    }

    ordered = sorted(folders, key=lambda folder: (folder.count("/"), folder))

    return ordered[:_MAX_WORKSPACES] or [""]


def _iter_dialects(graph: IncludeGraph, root: str) -> Iterator[Dialect]:
    yield Dialect.CUDA

    prefix = f"{root}/" if root else ""

    for path in graph.device_files:
        if path.startswith(prefix) and detect_dialect(path, graph) is Dialect.HIP:
            yield Dialect.HIP
            return


PLUGIN: Final[BuildSystem] = Bazel()
