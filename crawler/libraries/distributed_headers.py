"""What libraries of headers have in common that a distribution packages, and nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from crawler.libraries.interface import InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_parts


class DistributedHeaders:
    """The part of a `HeaderLibrary` that says where such a library lies, and of which version."""

    name: str
    layouts: tuple[Mapping[str, str], ...]
    """First folder of its includes to where that lies, in each way in which it is laid out."""
    main_header: str
    """An include that it always has: `glm/glm.hpp`."""
    version_header: str
    """The include whose macros are its version."""
    version_macros: tuple[str, ...]
    """These macros, the largest part first."""
    wheels: tuple[str, ...] = ()
    wheel_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = ("/usr/include", "/usr/local/include")
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder of includes, or a checkout, holds."""
        parts = find_parts(folder, self.layouts, self.main_header)
        if not parts:
            return None

        first_folder, _, rest = self.version_header.partition("/")
        version = read_parts(dict(parts)[first_folder] / rest, self.version_macros)
        return InstalledLibrary(name=self.name, version=version, parts=parts)
