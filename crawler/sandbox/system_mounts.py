"""Words of bubblewrap's command line that show parts of the host's system."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
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


def whole_system_words() -> Iterator[str]:
    """Show all programs and libraries of the host."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in HIDDEN_FOLDERS:
        path = Path(name)
        if path.is_dir() and not path.is_symlink():
            yield from ("--perms", "0755", "--tmpfs", name, "--remount-ro", name)

    for name in ROOT_FOLDERS:
        path = Path(name)
        # most distributions have merged them into /usr
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), name)
        elif path.is_dir():
            yield from ("--ro-bind", name, name)


@cache
def partial_system_words(files: tuple[Path, ...]) -> tuple[str, ...]:
    """Show these files and folders alone, and what it takes to start a program."""
    return tuple(_iter_partial_system_words(files))


def _iter_partial_system_words(files: Iterable[Path]) -> Iterator[str]:
    links: dict[Path, str] = {}
    shown_paths: set[Path] = set()
    for path in (*files, *list_own_files()):
        target = _follow_links(path, links)
        if target.exists():
            shown_paths.add(target)

    outermost = _drop_nested(shown_paths)
    parents: set[Path] = set()
    for path in (*outermost, *links):
        parents.update(path.parents)

    for folder in sorted(parents - {Path("/")}):
        if folder not in links:
            yield from ("--perms", "0755", "--dir", str(folder))
    for path in sorted(outermost):
        yield from ("--ro-bind", str(path), str(path))
    for path, target_name in sorted(links.items()):
        if outermost.isdisjoint(path.parents):
            yield from ("--symlink", target_name, str(path))


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
