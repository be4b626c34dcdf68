"""CUTLASS with CuTe."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_parts
from crawler.model import Dialect

_FLAGS: Final = ("-include", "kernelset/cutlass.h")
_LAYOUTS: Final = (
    {"cutlass": "include/cutlass", "cute": "include/cute"},
    {"cutlass": "cutlass", "cute": "cute"},
    # before version 3 there was no CuTe
    {"cutlass": "include/cutlass"},
    {"cutlass": "cutlass"},
)


class Cutlass:
    """CUTLASS and CuTe, of a checkout or installed."""

    name = "cutlass"
    title = "CUTLASS"
    order = 50
    prefixes: tuple[str, ...] = ("cutlass/", "cute/")
    namespaces: tuple[str, ...] = ("cutlass", "cute")
    macro_prefixes: tuple[str, ...] = ("CUTLASS_", "CUTE_")
    dialects = frozenset({Dialect.CUDA})
    licence = "BSD-3-Clause"
    packages: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ("nvidia-cutlass",)
    wheel_folders: tuple[str, ...] = ("cutlass_library/source",)
    system_folders: tuple[str, ...] = (
        "/usr/local/cuda/include",
        "/usr/include",
        "/usr/local/include",
    )
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ("cccl",)
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a checkout or a folder of includes holds."""
        parts = find_parts(folder, _LAYOUTS, "cutlass/version.h")
        if not parts:
            return None

        version = read_parts(
            dict(parts)["cutlass"] / "version.h",
            ("CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"),
        )
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what has it spell its pragmas as clang reads them."""
        return _FLAGS


PLUGIN: Final[HeaderLibrary] = Cutlass()
