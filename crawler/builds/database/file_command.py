"""Find the compile command of one file, from a given compile database or synthesised."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    read_entries,
    translate_entries,
)
from crawler.builds.commands.synthesis import is_translation_unit, synthesise_command
from crawler.builds.database.borrowed_commands import list_borrowed_commands
from crawler.builds.database.configurations import group_configurations
from crawler.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.checkout.near_files import list_near_files
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.errors import BadDatabase, NotFound
from crawler.model import CompileCommand, FlagsOrigin

_VERSION_CONTROL: Final = (".git",)
_PACKAGE_FILES: Final = ("setup.py", "pyproject.toml", "setup.cfg")
_BUILD_FILES: Final = ("CMakeLists.txt", "meson.build", "Makefile", "BUILD.bazel")
_MAX_NAMED_UNITS: Final = 3
_MAX_FURTHER_UNITS: Final = 7
"""Further units that include a header and are read for its launches."""
_HEADER_RULE: Final = (
    "nobody compiles headers, so they have no entry and borrow that of a unit which "
    "includes them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCommand:
    """How a file is compiled."""

    command: CompileCommand
    """Its own; a header's is that of `borrowed_from`."""
    further_commands: tuple[CompileCommand, ...] = ()
    """For a header: those that it could borrow from other units that include it for a device, the
    best first.
    """
    root: Path
    """What their paths are relative to."""


def find_file_command(file: Path, database_path: Path | None) -> FileCommand:
    """Return how `file` is compiled.

    `database_path` is a `compile_commands.json` or its folder; with `None` the command is
    synthesised from the project around the file. Raises `NotFound` (`no-file`,
    `no-database-folder`, `no-database`) and `BadDatabase` (`malformed-database`,
    `empty-database`, `database-for-another-tree`, `no-entry`).
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}: check --input-file", code="no-file")

    file = file.resolve()
    if database_path is None:
        root = find_project_root(file)
        path = _make_relative(file, root)
        graph = _load_near_graph(open_tree(root), path)
        commands = _synthesise_file_commands(path, graph)
        return _choose_commands(commands, root)

    database_file = _locate_database_file(database_path).resolve()
    entries = read_entries(database_file)
    root = _find_common_root(file, database_file, entries)
    graph = load_include_graph(open_tree(root))
    translation = translate_entries(
        entries,
        graph,
        base_folder=str(database_file.parent),
        origin=FlagsOrigin.EXPORTED,
    )

    configurations = group_configurations(translation.commands)
    units = {path: commands[0] for path, commands in configurations.items()}

    path = _make_relative(file, root)
    commands = _select_file_commands(path, graph, units)
    return _choose_commands(commands, root)


def _load_near_graph(tree: SourceTree, path: str) -> IncludeGraph:
    """Return a graph that says of a file what that of the whole tree does, of less if it can."""
    near_files = list_near_files(tree, path)
    if near_files is not None:
        graph = IncludeGraph(tree, near_files)
        # which include paths are used the most, the whole tree alone tells
        if not graph.is_decided_by_uses:
            return graph

    return load_include_graph(tree)


def _choose_commands(commands: Sequence[CompileCommand], root: Path) -> FileCommand:
    """Return the first command, and those behind it that show device code."""
    further_commands = [
        command for command in commands[1:] if command.dialect is not None
    ]
    return FileCommand(
        command=commands[0],
        further_commands=tuple(further_commands[:_MAX_FURTHER_UNITS]),
        root=root,
    )


def find_project_root(file: Path) -> Path:
    """Return the folder of the project around a file.

    That is the folder under version control, else the nearest with a Python package, else the
    outermost with a build file, else the file's own. Neither `/` nor the home folder counts.
    """
    # a stray setup.py there would make all the disk a project
    parents = [
        folder
        for folder in file.parents
        if folder != Path("/") and folder != Path.home()
    ]

    for names in (_VERSION_CONTROL, _PACKAGE_FILES):
        for folder in parents:
            if _has_any(folder, names):
                return folder

    # each folder below the outermost may have a CMakeLists.txt of its own
    for folder in reversed(parents):
        if _has_any(folder, _BUILD_FILES):
            return folder

    return file.parent


def make_no_entry_error(
    path: str, graph: IncludeGraph, entry_count: int, *, option: str = "--compile-db"
) -> BadDatabase:
    """Return the error for a file without an entry among `entry_count`.

    For a header it says which units' entries would do.
    """
    including_units = [
        file
        for file, steps in graph.iter_including_files(path)
        if steps and is_translation_unit(file, graph)
    ]

    message = f"{path} has no entry among {entry_count}"
    remedy = f"leave out {option} to have flags made up from the project's includes"

    is_source = get_suffix(path) in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
    if is_source and not including_units:
        message += f": that build leaves it out; switch it on and export, or {remedy}"
        return BadDatabase(message, code="no-entry")

    reason = "no unit includes it"
    if including_units:
        units = ", ".join(including_units[:_MAX_NAMED_UNITS])
        reason = f"{units} would do but has no entry either"

    message += (
        f", and {reason} ({_HEADER_RULE}): export a build that has one, or {remedy}"
    )

    return BadDatabase(message, code="no-entry")


def _synthesise_file_commands(path: str, graph: IncludeGraph) -> list[CompileCommand]:
    if is_translation_unit(path, graph):
        return [synthesise_command(path, graph)]

    units = {
        file: synthesise_command(file, graph)
        for file, _ in graph.iter_including_files(path)
        if is_translation_unit(file, graph)
    }

    borrowed_commands = list_borrowed_commands(path, graph, units)
    return borrowed_commands or [synthesise_command(path, graph)]


def _select_file_commands(
    path: str, graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> list[CompileCommand]:
    if path in units:
        return [units[path]]

    borrowed_commands = list_borrowed_commands(path, graph, units)
    if not borrowed_commands:
        raise make_no_entry_error(path, graph, len(units))

    return borrowed_commands


def _locate_database_file(path: Path) -> Path:
    if path.is_dir():
        path = path / DATABASE_NAME
    elif not path.exists() and path.suffix != ".json":
        raise NotFound(
            f"there is no folder {path}: check --compile-db", code="no-database-folder"
        )
    elif not path.parent.is_dir():
        raise NotFound(
            f"there is no folder {path.parent}: check --compile-db",
            code="no-database-folder",
        )

    if not path.is_file():
        raise NotFound(
            f"there is no {path}: export one, or name another folder by --compile-db",
            code="no-database",
        )

    return path


def _find_common_root(
    file: Path, database_file: Path, entries: Iterable[DatabaseEntry]
) -> Path:
    """Return the project's root, where no file marks it one with the database's sources below."""
    root = find_project_root(file)
    marks = (*_VERSION_CONTROL, *_PACKAGE_FILES, *_BUILD_FILES)
    if _has_any(root, marks):
        return root

    folders = [str(root)]
    for entry in entries:
        source = Path(posixpath.join(database_file.parent, entry.directory, entry.file))
        # a path with a NUL character cannot even be looked up
        if "\0" in str(source) or not source.is_file():
            continue

        source_folder = source.resolve().parent
        folders.append(str(source_folder))

    common_folder = Path(posixpath.commonpath(folders))
    if common_folder in (Path("/"), Path.home()):
        return root

    return common_folder


def _make_relative(file: Path, root: Path) -> str:
    return file.relative_to(root.resolve()).as_posix()


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).exists() for name in names)
