"""Interface of a header library: what is known of it before it is found on a machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.model import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledLibrary:
    """A header library as it lies on this machine."""

    name: str
    version: str
    parts: tuple[tuple[str, Path], ...]
    """(first folder of its includes, where that lies): `thrust` in `/usr/include/thrust`."""

    def digest(self) -> str:
        """Return the sha256 of what it is and where it lies."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


class HeaderLibrary(Protocol):
    """A library of headers alone; one file each, which ends with `PLUGIN: Final[HeaderLibrary]`."""

    name: str
    title: str
    """What a message calls it, as in `vector_base.h is Thrust's`."""
    order: int
    prefixes: tuple[str, ...]
    """Beginnings of its includes, with their slash: `thrust/`."""
    namespaces: tuple[str, ...]
    """Outermost namespaces of its names."""
    macro_prefixes: tuple[str, ...]
    """Beginnings of its macros, by which a text may name it and none of its namespaces."""
    dialects: frozenset[Dialect]
    licence: str
    """SPDX expression."""
    packages: tuple[str, ...]
    """Debian's packages that install it; empty where there are none."""
    wheels: tuple[str, ...]
    """Distributions of PyPI that hold its headers; empty where there are none."""
    wheel_folders: tuple[str, ...]
    """Where those put it, relative to the folder of installed packages: looked into behind the
    folders that the setting `libraries` names.
    """
    system_folders: tuple[str, ...]
    """Where it is looked for behind those."""
    held_prefixes: tuple[str, ...]
    """Beginnings of includes of other libraries, of which it holds versions of its own."""
    companions: tuple[str, ...]
    """Libraries that its headers include where they are installed."""
    shims: tuple[str, ...]
    """Includes of our headers that stand for it under names which are not its own."""

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return the library that a folder of includes, or a checkout of it, holds."""
        ...

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what a compiler of `dialect` needs besides the folder of its headers."""
        ...


def find_parts(
    folder: Path, layouts: tuple[Mapping[str, str], ...], version_header: str
) -> tuple[tuple[str, Path], ...]:
    """Return the parts of the first layout that a folder has, empty for none.

    A layout is the first folder of its includes to where that lies, and `version_header` an
    include that must be there.
    """
    first, _, rest = version_header.partition("/")
    for layout in layouts:
        parts = tuple((name, folder / place) for name, place in layout.items())
        has_all = all(path.is_dir() for _, path in parts)
        if has_all and (folder / layout[first] / rest).is_file():
            return parts

    return ()
