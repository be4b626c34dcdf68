"""Eigen, the matrices and solvers of C++."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_parts
from crawler.model import Dialect

_LAYOUTS: Final = (
    {"Eigen": "Eigen", "unsupported": "unsupported"},
    # as Debian lays it out
    {"Eigen": "eigen3/Eigen", "unsupported": "eigen3/unsupported"},
)
_VERSION_MACROS: Final = (
    "EIGEN_WORLD_VERSION",
    "EIGEN_MAJOR_VERSION",
    "EIGEN_MINOR_VERSION",
)


class Eigen:
    """Eigen, as a distribution or its repository lays it out."""

    name = "eigen"
    title = "Eigen"
    order = 60
    prefixes: tuple[str, ...] = ("Eigen/", "unsupported/Eigen/")
    namespaces: tuple[str, ...] = ("Eigen",)
    macro_prefixes: tuple[str, ...] = ("EIGEN_",)
    dialects = frozenset(Dialect)
    licence = "MPL-2.0"
    packages: tuple[str, ...] = ("libeigen3-dev",)
    wheels: tuple[str, ...] = ()
    wheel_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = ("/usr/include", "/usr/local/include")
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder of includes holds."""
        parts = find_parts(folder, _LAYOUTS, "Eigen/Core")
        if not parts:
            return None

        header = dict(parts)["Eigen"] / "src/Core/util/Macros.h"
        version = read_parts(header, _VERSION_MACROS)
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the flags with which Eigen takes clang for clang, not for nvcc."""
        if dialect is Dialect.HIP:
            return ()

        return ("-include", "kernelset/eigen.h")


PLUGIN: Final[HeaderLibrary] = Eigen()
