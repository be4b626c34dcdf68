"""rocPRIM, AMD's primitives, on which hipCUB and rocThrust stand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_parts
from crawler.model import Dialect

_LAYOUTS: Final = ({"rocprim": "rocprim"}, {"rocprim": "rocprim/include/rocprim"})


class Rocprim:
    """rocPRIM, of a distribution or of ROCm."""

    name = "rocprim"
    title = "rocPRIM"
    order = 50
    prefixes: tuple[str, ...] = ("rocprim/",)
    namespaces: tuple[str, ...] = ("rocprim",)
    macro_prefixes: tuple[str, ...] = ("ROCPRIM_",)
    dialects = frozenset({Dialect.HIP})
    licence = "MIT"
    packages: tuple[str, ...] = ("librocprim-dev",)
    wheels: tuple[str, ...] = ()
    wheel_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = ("/opt/rocm/include", "/usr/include")
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder of includes holds."""
        parts = find_parts(folder, _LAYOUTS, "rocprim/rocprim.hpp")
        if not parts:
            return None

        version = read_parts(
            dict(parts)["rocprim"] / "rocprim_version.hpp",
            ("ROCPRIM_VERSION_MAJOR", "ROCPRIM_VERSION_MINOR", "ROCPRIM_VERSION_PATCH"),
        )
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return nothing: it asks nothing of a compiler."""
        return ()


PLUGIN: Final[HeaderLibrary] = Rocprim()
