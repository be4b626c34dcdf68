"""What CMake exports when a project is configured: in the sandbox, in a private copy, without a GPU toolkit."""

from __future__ import annotations

import posixpath
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler.builds.cmaking.run import SOURCE, Configuration, Configuring, reason
from crawler.builds.cmaking.settings import settings, source_folder
from crawler.builds.cmaking.texts import cmake_texts
from crawler.builds.commands.dialect import dialect
from crawler.builds.interface import BuildSystem, Yield
from crawler.builds.reading.includes import include_graph
from crawler.builds.reading.scan import DEVICE_SOURCES, suffix
from crawler.builds.reading.tree import Tree, vendored
from crawler.errors import ConfigureFailed, MissingTool
from crawler.model import Dialect

_MOST_FOLDERS: Final = 80
_PYTHON: Final = "/usr/bin/python3"


class CMake:
    """Configures a project for each dialect that it speaks, and the folders that this left without commands."""

    name = "cmake"
    order = 20
    executes = True

    def recognises(self, tree: Tree) -> bool:
        """Tell whether a `CMakeLists.txt` begins the project, or stands above one of its device sources."""
        if not tree.named("CMakeLists.txt"):
            return False
        return bool(_outermost(tree)) or next(_nearest(tree, set(), set()), None) is not None

    def commands(self, tree: Tree, scratch: Path) -> Yield:
        """Configure, and read the databases that this leaves, whatever the exit code."""
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise MissingTool("cmake or ninja is not installed: run `deploy/bootstrap`")
        running = Configuring(tree, scratch)
        for folder in _outermost(tree):
            _configure(tree, folder, running)
        for folder in _left(tree, running):
            _configure(tree, folder, running)
        if running.commands:
            commands, generated = tuple(running.commands.values()), running.made.files
            return Yield(commands=commands, log="\n".join(running.logs), generated=generated)
        ended = running.last
        message = f"CMake wrote no compile database ({reason(running)}): see the log for what it lacks"
        raise ConfigureFailed(message, argv=ended.argv if ended else (), output="\n".join(running.logs))


def _outermost(tree: Tree) -> tuple[str, ...]:
    """Return the folder that the project is built from."""
    texts = cmake_texts(tree)
    told = source_folder(tree)
    if told in texts.folders:
        return (told,)
    return tuple(folder for folder in texts.projects if not vendored(folder + "/"))[:1]


def _configure(tree: Tree, folder: str, running: Configuring) -> None:
    """Configure for each dialect; where that told nothing, as the project is and with nothing stood in for."""
    told = 0
    for configuration in _configurations(tree, folder):
        told += running.run(folder, configuration)
        if running.last is not None and running.last.timed_out:
            return
    if not told:
        running.run(folder, Configuration(dialect=Dialect.CUDA, variables={}, stand_ins=False))


def _configurations(tree: Tree, folder: str) -> Iterator[Configuration]:
    texts = cmake_texts(tree)
    pythons = dict.fromkeys(texts.pythons, _PYTHON)
    for spoken in _spoken_most(tree, texts.dialects):
        given = settings(tree, folder, spoken, SOURCE)
        yield Configuration(dialect=spoken, variables={**pythons, **given, **texts.switches(spoken)})


def _spoken_most(tree: Tree, dialects: tuple[Dialect, ...]) -> tuple[Dialect, ...]:
    """Order the dialects that the CMake files speak, that of most device sources first."""
    graph = include_graph(tree)
    spoken = Counter(dialect(path, graph) for path in graph.device_files if suffix(path) in DEVICE_SOURCES)
    return tuple(sorted(dialects, key=lambda one: -spoken[one])) or (Dialect.CUDA,)


def _left(tree: Tree, running: Configuring) -> Iterator[str]:
    """Yield folders that may tell how the device sources are compiled that nothing told of yet, the nearest ones."""
    tried = set(_outermost(tree))
    for _ in range(_MOST_FOLDERS):
        found = {file for file, _ in running.commands}
        folder = next(_nearest(tree, found, tried), None)
        if folder is None or running.spent:
            return
        tried.add(folder)
        yield folder


def _nearest(tree: Tree, found: set[str], tried: set[str]) -> Iterator[str]:
    graph = include_graph(tree)
    known = set(cmake_texts(tree).folders)
    for path in sorted(graph.device_files):
        if suffix(path) in DEVICE_SOURCES and path not in found:
            folder = path
            while folder not in (".", ""):
                folder = posixpath.dirname(folder) or "."
                if folder in known:
                    if folder not in tried:
                        yield folder
                    break


PLUGIN: Final[BuildSystem] = CMake()
