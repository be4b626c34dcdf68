"""Find the header libraries of this machine, in folders that a setting names and in the usual
ones.
"""

from __future__ import annotations

import hashlib
import os
import re
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary
from crawler.plugins import load_plugins

FOLDERS_VARIABLE: Final = "KERNELSET_LIBRARIES"
_SYSTEM_INCLUDES: Final = ("/usr/include", "/usr/local/include")
# the value of a setting
_SEPARATORS: Final = re.compile(r"[:,]")
_named_folders: list[Path] | None = None


def split_folders(text: str) -> tuple[Path, ...]:
    """Return the folders of a list that is separated by colons or commas."""
    parts = (part.strip() for part in _SEPARATORS.split(text))
    return tuple(Path(part).expanduser().absolute() for part in parts if part)


def name_folders(folders: Iterable[Path]) -> None:
    """Look for libraries in these folders first, from now on in this process."""
    global _named_folders
    new_folders = list(folders)
    if new_folders != list_named_folders():
        _named_folders = new_folders
        _find_all.cache_clear()


def list_named_folders() -> list[Path]:
    """Return the folders that a setting names; without one, those that the environment does."""
    if _named_folders is not None:
        return _named_folders

    return list(split_folders(os.environ.get(FOLDERS_VARIABLE, "")))


def list_known() -> tuple[HeaderLibrary, ...]:
    """Return every library that there is a plugin for, installed or not."""
    return load_plugins("crawler.libraries.known", HeaderLibrary)


def get_known(name: str) -> HeaderLibrary | None:
    """Return the library of that name, or `None`."""
    return next((library for library in list_known() if library.name == name), None)


def find_claiming(header: str) -> HeaderLibrary | None:
    """Return the library that an include is of: `thrust/sort.h` is Thrust's."""
    name = header.strip("<>")
    for library in list_known():
        if name.startswith(library.prefixes) or name in library.shims:
            return library

    return None


def find_installed(name: str) -> InstalledLibrary | None:
    """Return a library as it lies on this machine, or `None`."""
    return _find_all().get(name)


def list_installed() -> tuple[InstalledLibrary, ...]:
    """Return the libraries of this machine, by name."""
    installed_libraries = _find_all()
    return tuple(installed_libraries[name] for name in sorted(installed_libraries))


def libraries_digest() -> str:
    """Return the sha256 of what libraries are here; empty where none is."""
    installed = list_installed()
    if not installed:
        return ""

    digests = "".join(library.digest() for library in installed)
    return hashlib.sha256(digests.encode()).hexdigest()


@cache
def list_hidden_files() -> tuple[str, ...]:
    """Return what compilers would find of libraries by themselves, beside our shims of them."""
    hidden: list[str] = []
    for include in _SYSTEM_INCLUDES:
        for library in list_known():
            for prefix in library.prefixes:
                hidden += _walk(f"{include}/{prefix.rstrip('/')}")

    return tuple(hidden)


def _walk(folder: str) -> list[str]:
    return [
        f"{parent}/{name}"
        for parent, _, names in os.walk(folder)
        for name in sorted(names)
    ]


def _list_wheel_folders(library: HeaderLibrary) -> list[Path]:
    """Return where wheels put a library among the packages that this program runs with."""
    packages = _find_packages()
    return [packages / folder for folder in library.wheel_folders]


def _find_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


@cache
def _find_all() -> dict[str, InstalledLibrary]:
    installed_libraries: dict[str, InstalledLibrary] = {}
    for library in list_known():
        folders = (
            *list_named_folders(),
            *_list_wheel_folders(library),
            *map(Path, library.system_folders),
        )
        for folder in folders:
            installed = library.find_in(folder)
            if installed is not None:
                installed_libraries[library.name] = installed
                break

    return installed_libraries
