"""Configure with CMake in the sandbox, and read the exported compile commands."""

from __future__ import annotations

import posixpath
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler.builds.checkout.include_graph import load_include_graph
from crawler.builds.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.builds.cmake.cache_variables import (
    find_source_folder,
    read_cache_variables,
)
from crawler.builds.cmake.cmake_facts import read_cmake_facts
from crawler.builds.cmake.configure_session import (
    SOURCE_MOUNT,
    Configuration,
    ConfigureSession,
    explain_failure,
)
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.interface import BuildSystem, FoundCommands
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect

_MOST_FOLDERS: Final = 80
_PYTHON: Final = "/usr/bin/python3"


class CMake:
    """Configures a project for each dialect that it speaks, and the folders that this left
    without commands.
    """

    name = "cmake"
    order = 20
    executes = True

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a `CMakeLists.txt` begins the project, or stands above one of its device
        sources.
        """
        if not tree.find_named("CMakeLists.txt"):
            return False
        return (
            bool(_outermost(tree))
            or next(_nearest(tree, set(), set()), None) is not None
        )

    def find_commands(self, tree: SourceTree, scratch: Path) -> FoundCommands:
        """Configure, and read the databases that this leaves, whatever the exit code."""
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise MissingTool("cmake or ninja is not installed: run `deploy/bootstrap`")
        running = ConfigureSession(tree, scratch)
        for folder in _outermost(tree):
            _configure(tree, folder, running)
        for folder in _left(tree, running):
            _configure(tree, folder, running)
        if running.commands:
            commands, generated = (
                tuple(running.commands.values()),
                running.build_output.files,
            )
            return FoundCommands(
                commands=commands, log="\n".join(running.logs), generated=generated
            )
        ended = running.last_run
        message = f"CMake wrote no compile database ({explain_failure(running)}): see the log for what it lacks"
        raise ConfigureFailed(
            message, argv=ended.argv if ended else (), output="\n".join(running.logs)
        )


def _outermost(tree: SourceTree) -> tuple[str, ...]:
    """Return the folder that the project is built from."""
    texts = read_cmake_facts(tree)
    told = find_source_folder(tree)
    if told in texts.folders:
        return (told,)
    return tuple(
        folder for folder in texts.project_folders if not is_vendored(folder + "/")
    )[:1]


def _configure(tree: SourceTree, folder: str, running: ConfigureSession) -> None:
    """Configure for each dialect; where that told nothing, as the project is and with nothing
    stood in for.
    """
    told = 0
    for configuration in _configurations(tree, folder):
        told += running.configure(folder, configuration)
        if running.last_run is not None and running.last_run.timed_out:
            return
    if not told:
        running.configure(
            folder,
            Configuration(dialect=Dialect.CUDA, variables={}, has_stand_ins=False),
        )


def _configurations(tree: SourceTree, folder: str) -> Iterator[Configuration]:
    texts = read_cmake_facts(tree)
    pythons = dict.fromkeys(texts.python_variables, _PYTHON)
    for spoken in _spoken_most(tree, texts.dialects):
        given = read_cache_variables(tree, folder, spoken, SOURCE_MOUNT)
        yield Configuration(
            dialect=spoken,
            variables={**pythons, **given, **texts.choose_switches(spoken)},
        )


def _spoken_most(
    tree: SourceTree, dialects: tuple[Dialect, ...]
) -> tuple[Dialect, ...]:
    """Order the dialects that the CMake files speak, that of most device sources first."""
    graph = load_include_graph(tree)
    spoken = Counter(
        detect_dialect(path, graph)
        for path in graph.device_files
        if get_suffix(path) in DEVICE_SOURCE_SUFFIXES
    )
    return tuple(sorted(dialects, key=lambda one: -spoken[one])) or (Dialect.CUDA,)


def _left(tree: SourceTree, running: ConfigureSession) -> Iterator[str]:
    """Yield folders that may tell how the device sources are compiled that nothing told of yet,
    the nearest ones.
    """
    tried = set(_outermost(tree))
    for _ in range(_MOST_FOLDERS):
        found = {file for file, _ in running.commands}
        folder = next(_nearest(tree, found, tried), None)
        if folder is None or running.is_out_of_time:
            return
        tried.add(folder)
        yield folder


def _nearest(tree: SourceTree, found: set[str], tried: set[str]) -> Iterator[str]:
    graph = load_include_graph(tree)
    known = set(read_cmake_facts(tree).folders)
    for path in sorted(graph.device_files):
        if get_suffix(path) in DEVICE_SOURCE_SUFFIXES and path not in found:
            folder = path
            while folder not in (".", ""):
                folder = posixpath.dirname(folder) or "."
                if folder in known:
                    if folder not in tried:
                        yield folder
                    break


PLUGIN: Final[BuildSystem] = CMake()
