"""Show compilers one library alone: the folder that it lies in may hold many others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler.errors import MissingTool
from crawler.libraries.discovery import find_installed, get_known, list_installed
from crawler.libraries.interface import InstalledLibrary
from crawler.model import Dialect

VIEW_PREFIX: Final = "library-"
"""What the name of a folder begins with that shows one library."""
_MARK: Final = ".complete"
_READABLE_EVERYWHERE: Final = Path("/usr/include")


def get_include_flags(
    names: tuple[str, ...], dialect: Dialect, *, option: str = "-isystem"
) -> tuple[str, ...]:
    """Return the flags by which a compiler sees these libraries in place of our shims of them.

    They stand in front of the flags for our own headers, with the same `option`. Raises
    `MissingTool` where one is not installed.
    """
    flags: list[str] = []
    for name in names:
        library = get_known(name)
        installed = find_installed(name)
        if library is None or installed is None:
            raise MissingTool(
                f"the library {name} is not installed: `kernelset doctor` says how to",
                code="no-library",
            )

        flags += [option, str(make_view(installed)), *library.list_flags(dialect)]

    return tuple(flags)


def list_view_folders(names: Iterable[str]) -> dict[str, Path]:
    """Return the folders that `get_include_flags` names, by library; of those installed."""
    installed = map(find_installed, names)
    return {library.name: make_view(library) for library in installed if library}


def list_readable_folders(names: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders that a compiler in the sandbox must see to read these libraries."""
    readable: dict[Path, None] = {}
    for library in filter(None, map(find_installed, names)):
        for _, folder in library.parts:
            if not folder.is_relative_to(_READABLE_EVERYWHERE):
                readable[folder] = None

    return tuple(readable)


def list_library_folders() -> tuple[Path, ...]:
    """Return the folders that a parser in the sandbox must see to find every library."""
    return list_readable_folders(library.name for library in list_installed())


def make_view(library: InstalledLibrary) -> Path:
    """Return a folder of includes that holds this library and nothing else."""

    def link_parts(folder: Path) -> bool:
        for name, place in library.parts:
            (folder / name).symlink_to(place)

        (folder / _MARK).touch()
        return True

    name = f"{VIEW_PREFIX}{library.name}-{library.digest()[:16]}"
    view = folders.get_or_build(name, link_parts, required_file=_MARK)
    assert view is not None
    return view
