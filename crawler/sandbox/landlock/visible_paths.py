"""Files and folders of the host that a run under Landlock may read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from crawler.sandbox.system_mounts import HIDDEN_FOLDERS, ROOT_FOLDERS, list_own_files

_USR: Final = Path("/usr")
_LIBRARY_FOLDERS: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_ALWAYS_SHOWN: Final = ("/etc/ld.so.cache", "/etc/alternatives", "/opt/rocm")


@cache
def list_visible_paths(system: tuple[Path, ...] | None) -> tuple[str, ...]:
    """Return what of the host's system a run may read: `system`, or all programs and libraries
    without one.
    """
    paths = [Path(name) for name in _ALWAYS_SHOWN]
    if system is None:
        paths += _list_whole_system()
    else:
        paths += (*system, *list_own_files())

    return tuple(sorted({str(path) for path in paths if path.exists()}))


@cache
def list_library_folders(visible: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders of the system whose names a linker reads to find a library in them.

    Names of all that is below such a folder can be read, too.
    """
    parents = {Path(path).resolve().parent for path in visible}
    # below these is something that is hidden
    parents -= {parent for name in HIDDEN_FOLDERS for parent in Path(name).parents}
    folders = {path for path in parents if _USR in path.parents}
    folders |= {path for path in map(Path, _LIBRARY_FOLDERS) if path.is_dir()}
    return tuple(sorted(map(str, folders)))


def _list_whole_system() -> Iterator[Path]:
    hidden = {Path(name) for name in HIDDEN_FOLDERS}
    yield from _split_around(_USR, hidden)
    yield from map(Path, ROOT_FOLDERS)


def _split_around(folder: Path, hidden: set[Path]) -> Iterator[Path]:
    """Yield `folder`, or what is in it where something below is hidden: a rule takes nothing back
    of what another one gives.
    """
    if folder in hidden:
        return
    if not any(folder in path.parents for path in hidden):
        yield folder
        return

    for entry in sorted(folder.iterdir()):
        yield from _split_around(entry, hidden)
