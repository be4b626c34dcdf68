"""Eigen, the matrices and solvers of C++."""

from __future__ import annotations

from typing import Final

from crawler.libraries.distributed_headers import DistributedHeaders
from crawler.libraries.interface import HeaderLibrary
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


class Eigen(DistributedHeaders):
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
    layouts = _LAYOUTS
    main_header = "Eigen/Core"
    version_header = "Eigen/src/Core/util/Macros.h"
    version_macros = _VERSION_MACROS

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the flags with which Eigen takes clang for clang, not for nvcc."""
        if dialect is Dialect.HIP:
            return ()

        return ("-include", "kernelset/eigen.h")


PLUGIN: Final[HeaderLibrary] = Eigen()
