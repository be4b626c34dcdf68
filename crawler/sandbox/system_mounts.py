"""What a run sees of the host's own system."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crawler.toolchains.loaded_libraries import list_loaded_libraries

ROOT_FOLDERS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
HIDDEN_FOLDERS: Final = (
    *("/usr/games", "/usr/src", "/usr/local/src", "/usr/local/share/man"),
    *("/usr/share/common-licenses", "/usr/share/doc", "/usr/share/info"),
    *("/usr/share/licenses", "/usr/share/man"),
)
"""What no program reads to do its work: texts, and what is no part of a toolchain."""
# what starts a program inside, and copies its folders
_OWN_PROGRAMS: Final = ("sh", "cp", "setpriv", "prlimit")
_LOCALES: Final = Path("/usr/lib/locale")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemView:
    """What of the host's own system a run sees, each at its own path and read-only."""

    shown_paths: tuple[Path, ...]
    hidden_folders: tuple[Path, ...] = ()
    """Folders below those that are shown, which are empty inside."""
    links: tuple[tuple[Path, str], ...] = ()
    """Links with what they lead to, as it is written."""

    def list_parents(self) -> tuple[Path, ...]:
        """Return the folders in which something is shown, the outermost first."""
        link_paths = {path for path, _ in self.links}
        parents: set[Path] = set()
        for path in (*self.shown_paths, *link_paths):
            parents.update(path.parents)
        return tuple(sorted(parents - link_paths - {Path("/")}))


@cache
def find_system_view(files: tuple[Path, ...] | None) -> SystemView:
    """Return the view of these files and folders alone, with what it takes to start a program;
    without any, that of all programs and libraries of the host.
    """
    return _view_whole_system() if files is None else _view_part_of_system(files)


def _view_whole_system() -> SystemView:
    shown_paths = [Path("/usr")]
    links: list[tuple[Path, str]] = []
    for path in map(Path, ROOT_FOLDERS):
        # most distributions have merged them into /usr
        if path.is_symlink():
            links.append((path, str(path.readlink())))
        elif path.is_dir():
            shown_paths.append(path)

    hidden_folders = [
        path
        for path in map(Path, HIDDEN_FOLDERS)
        if path.is_dir() and not path.is_symlink()
    ]

    return SystemView(
        shown_paths=tuple(shown_paths),
        hidden_folders=tuple(hidden_folders),
        links=tuple(links),
    )


def _view_part_of_system(files: Iterable[Path]) -> SystemView:
    links: dict[Path, str] = {}
    shown_paths: set[Path] = set()
    for path in (*files, *list_own_files()):
        target = _follow_links(path, links)
        if target.exists():
            shown_paths.add(target)

    outermost = _drop_nested(shown_paths)
    # a folder that is shown has its own links
    outer_links = [
        (path, target)
        for path, target in sorted(links.items())
        if outermost.isdisjoint(path.parents)
    ]

    return SystemView(shown_paths=tuple(sorted(outermost)), links=tuple(outer_links))


def _follow_links(path: Path, links: dict[Path, str]) -> Path:
    """Return the path without links, and add to `links` those on the way, as they are written."""
    current = Path("/")
    for part in path.parts[1:]:
        step = current / part
        if step.is_symlink():
            links[step] = str(step.readlink())
            step = _follow_links(_normalise(current / step.readlink()), links)
        current = step

    return current


def _normalise(path: Path) -> Path:
    """Return a path whose folders are none of links, without `..`."""
    parts: list[str] = []
    for part in path.parts[1:]:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)

    return Path("/", *parts)


def _drop_nested(paths: set[Path]) -> set[Path]:
    return {path for path in paths if paths.isdisjoint(path.parents)}


@cache
def list_own_files() -> tuple[Path, ...]:
    """Return what starts a program inside, with the libraries that it loads."""
    program_names = filter(None, map(shutil.which, _OWN_PROGRAMS))
    programs = tuple(map(Path, program_names))
    locales = (_LOCALES,) if _LOCALES.is_dir() else ()

    return (*programs, Path("/bin/sh"), *list_loaded_libraries(programs), *locales)
