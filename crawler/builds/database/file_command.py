"""Find the compile command of one file, from a given compile database or synthesised."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.builds.checkout.include_graph import IncludeGraph, load_include_graph
from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.checkout.source_tree import open_tree
from crawler.builds.commands.database_entries import (
    DATABASE_NAME,
    DatabaseEntry,
    read_entries,
    translate_entries,
)
from crawler.builds.database.borrowed_commands import borrow_command, find_best_includer
from crawler.builds.database.configurations import group_configurations
from crawler.builds.commands.synthesis import is_translation_unit, synthesise_command
from crawler.errors import BadDatabase, NotFound
from crawler.model import CompileCommand, FlagsOrigin

_PROJECT: Final = ("setup.py", "pyproject.toml", "setup.cfg")
_BUILD: Final = ("CMakeLists.txt", "meson.build", "Makefile", "BUILD.bazel")
_HEADER_RULE: Final = "nobody compiles headers, so they have no entry and borrow that of a unit which includes them"


def find_file_command(
    file: Path, database_path: Path | None
) -> tuple[CompileCommand, Path]:
    """Return the command of `file`, and the root that its paths are relative to.

    `database_path` is a `compile_commands.json` or its folder; `None` makes the command up from
    the project around the
    file. A header's command is that of `borrowed_from`. Raises `NotFound` (`no-file`,
    `no-database-folder`,
    `no-database`) and `BadDatabase` (`malformed-database`, `empty-database`,
    `database-for-another-tree`, `no-entry`).
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}: check --input-file", code="no-file")
    file = file.resolve()
    if database_path is None:
        root = find_project_root(file)
        return _made_up(
            _relative(file, root), load_include_graph(open_tree(root))
        ), root
    path = _database_file(database_path).resolve()
    entries = read_entries(path)
    root = _root_with(file, path, entries)
    graph = load_include_graph(open_tree(root))
    told = translate_entries(
        entries, graph, base_folder=str(path.parent), origin=FlagsOrigin.EXPORTED
    )
    units = {
        path: commands[0]
        for path, commands in group_configurations(told.commands).items()
    }
    return _found(_relative(file, root), graph, units), root


def find_project_root(file: Path) -> Path:
    """Return the folder of the project around a file: version control's, else a package's, else
    the outermost build.
    """
    above = [
        folder
        for folder in file.parents
        if folder != Path("/") and folder != Path.home()
    ]
    for names in ((".git",), _PROJECT):
        nearest = next((folder for folder in above if _has(folder, names)), None)
        if nearest is not None:
            return nearest
    return next(
        (folder for folder in reversed(above) if _has(folder, _BUILD)), file.parent
    )


def _made_up(path: str, graph: IncludeGraph) -> CompileCommand:
    if is_translation_unit(path, graph):
        return synthesise_command(path, graph)
    units = {
        who: synthesise_command(who, graph)
        for who, _ in graph.iter_including_files(path)
        if is_translation_unit(who, graph)
    }
    return borrow_command(path, graph, units)


def _found(
    path: str, graph: IncludeGraph, commands: dict[str, CompileCommand]
) -> CompileCommand:
    if path in commands:
        return commands[path]
    if find_best_includer(path, graph, commands) is not None:
        return borrow_command(path, graph, commands)
    raise make_no_entry_error(path, graph, len(commands))


def make_no_entry_error(
    path: str, graph: IncludeGraph, entry_count: int, *, option: str = "--compile-db"
) -> BadDatabase:
    """Return the error for a file without an entry among `entry_count`; for a header it tells
    whose entry would do.
    """
    includers = [
        who
        for who, steps in graph.iter_including_files(path)
        if steps and is_translation_unit(who, graph)
    ]
    return BadDatabase(_no_entry(path, includers, entry_count, option), code="no-entry")


def _no_entry(path: str, includers: list[str], count: int, option: str) -> str:
    otherwise = f"leave out {option} to have flags made up from the project's includes"
    if (
        get_suffix(path) in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
        and not includers
    ):
        return f"{path} has no entry among {count}: that build leaves it out; switch it on and export, or {otherwise}"
    tried = (
        f"{', '.join(includers[:3])} would do but has no entry either"
        if includers
        else "no unit includes it"
    )
    return f"{path} has no entry among {count}, and {tried} ({_HEADER_RULE}): export a build that has one, or {otherwise}"


def _database_file(path: Path) -> Path:
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


def _root_with(file: Path, database: Path, entries: Iterable[DatabaseEntry]) -> Path:
    """Widen the project's root where no file marks it, so that the sources of the database are
    below it, too.
    """
    root = find_project_root(file)
    if any(_has(root, names) for names in ((".git",), _PROJECT, _BUILD)):
        return root
    joined = (
        Path(posixpath.join(database.parent, entry.directory, entry.file))
        for entry in entries
    )
    sources = [
        str(path.resolve().parent)
        for path in joined
        if "\0" not in str(path) and path.is_file()
    ]
    common = Path(posixpath.commonpath([str(root), *sources]))
    return root if common in (Path("/"), Path.home()) else common


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root.resolve()).as_posix()


def _has(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).exists() for name in names)
