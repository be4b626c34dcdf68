"""Configure with CMake in the sandbox, and read the exported compile commands."""

from __future__ import annotations

import posixpath
import shutil
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from crawler.builds.cmake.cache_variables import (
    find_source_folder,
    read_cache_variables,
)
from crawler.builds.cmake.cmake_facts import read_cmake_facts
from crawler.builds.cmake.configuration import Configuration
from crawler.builds.cmake.configure_session import ConfigureSession, explain_failure
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect

_MAX_FOLDERS: Final = 80
_PYTHON: Final = "/usr/bin/python3"


class CMake:
    """Configures a project for each of its dialects, then folders that still lack commands."""

    name = "cmake"
    order = 20
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `CMakeLists.txt` begins the project, or stands above a device source."""
        if not tree.find_named("CMakeLists.txt"):
            return False
        if _find_project_folder(tree):
            return True

        return next(_iter_nearest_folders(tree, set(), set()), None) is not None

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Configure, and read the databases that this leaves, whatever the exit code."""
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise MissingTool("cmake or ninja is not installed: run `deploy/bootstrap`")

        session = ConfigureSession(tree, scratch)

        for folder in _find_project_folder(tree):
            _configure(tree, folder, session)

        for folder in _iter_uncovered_folders(tree, session):
            _configure(tree, folder, session)

        log = "\n".join(session.logs)
        if session.commands:
            return FoundCommands(
                commands=tuple(session.commands.values()),
                log=log,
                generated=session.build_output.files,
            )

        last_run = session.last_run

        raise ConfigureFailed(
            f"CMake wrote no compile database ({explain_failure(session)}): "
            "see the log for what it lacks",
            argv=last_run.argv if last_run else (),
            output=log,
        )


def _find_project_folder(tree: SourceTree) -> tuple[str, ...]:
    """Return the folder that the project is built from; empty where there is none."""
    facts = read_cmake_facts(tree)
    # A Python package may keep its CMake project in a folder of its own.
    source_folder = find_source_folder(tree)
    if source_folder is not None and source_folder in facts.folders:
        return (source_folder,)

    own_folders = [
        folder for folder in facts.project_folders if not is_vendored(folder + "/")
    ]

    return tuple(own_folders[:1])


def _configure(tree: SourceTree, folder: str, session: ConfigureSession) -> None:
    """Configure for each dialect; where that yields nothing, once more as the project is.

    The last run has no stand-ins and switches nothing on.
    """
    new_count = 0
    for configuration in _iter_configurations(tree, folder):
        new_count += session.configure(folder, configuration)
        # The next dialect would take just as long.
        if session.last_run is not None and session.last_run.timed_out:
            return

    if new_count:
        return

    plain_configuration = Configuration(
        dialect=Dialect.CUDA,
        variables={},
        has_stand_ins=False,
    )

    session.configure(folder, plain_configuration)


def _iter_configurations(tree: SourceTree, folder: str) -> Iterator[Configuration]:
    facts = read_cmake_facts(tree)
    for dialect in _order_dialects(tree, facts.dialects):
        # Later ones win: our switches over what the project sets itself.
        variables = dict.fromkeys(facts.python_variables, _PYTHON)
        variables.update(read_cache_variables(tree, folder, dialect, SOURCE_MOUNT))
        variables.update(facts.choose_switches(dialect))
        yield Configuration(
            dialect=dialect,
            variables=variables,
        )


def _order_dialects(
    tree: SourceTree, dialects: tuple[Dialect, ...]
) -> tuple[Dialect, ...]:
    """Order the dialects of the CMake files by their device sources, the most first."""
    graph = load_include_graph(tree)
    source_counts = Counter(
        detect_dialect(path, graph)
        for path in graph.device_files
        if get_suffix(path) in DEVICE_SOURCE_SUFFIXES
    )

    ordered = sorted(dialects, key=lambda dialect: -source_counts[dialect])

    return tuple(ordered) or (Dialect.CUDA,)


def _iter_uncovered_folders(
    tree: SourceTree, session: ConfigureSession
) -> Iterator[str]:
    """Yield the nearest folders above device sources that no run has a command for yet.

    Each folder is to be configured before the next one is asked for.
    """
    tried_folders = set(_find_project_folder(tree))
    for _ in range(_MAX_FOLDERS):
        covered_files = {file for file, _ in session.commands}
        # Searched anew each time, since the last folder may have covered the next file.
        folder = next(_iter_nearest_folders(tree, covered_files, tried_folders), None)
        if folder is None or session.is_out_of_time:
            return

        tried_folders.add(folder)
        yield folder


def _iter_nearest_folders(
    tree: SourceTree, covered_files: AbstractSet[str], tried_folders: AbstractSet[str]
) -> Iterator[str]:
    """Yield the folder of the nearest `CMakeLists.txt` above each uncovered device source."""
    lists_folders = set(read_cmake_facts(tree).folders)
    for path in sorted(load_include_graph(tree).device_files):
        if get_suffix(path) not in DEVICE_SOURCE_SUFFIXES or path in covered_files:
            continue

        folder = _find_lists_folder(path, lists_folders)
        if folder is not None and folder not in tried_folders:
            yield folder


def _find_lists_folder(path: str, lists_folders: AbstractSet[str]) -> str | None:
    folder = path
    while folder not in (".", ""):
        folder = posixpath.dirname(folder) or "."
        if folder in lists_folders:
            return folder

    return None


PLUGIN: Final[BuildSystem] = CMake()
