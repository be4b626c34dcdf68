"""Thrust with CUB as they were before CCCL: released together, and of one version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_number, split_number
from crawler.model import Dialect

_VERSION_FACTORS: Final = (100_000, 100, 1)
# it warns of each compiler and standard that it does not know
_FLAGS: Final = (
    "-DTHRUST_IGNORE_DEPRECATED_CPP_DIALECT=1",
    "-DCUB_IGNORE_DEPRECATED_CPP_DIALECT=1",
)
_HIP_FLAGS: Final = (
    *_FLAGS,
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
)
_LAYOUTS: Final = ({"thrust": "thrust", "cub": "cub"},)
_FIRST_OF_CCCL: Final = 200_000
"""From version 2 on both need libcu++ of the same release, which is CCCL."""


class Thrust:
    """Thrust and CUB of version 1, of a distribution or of a CUDA toolkit."""

    name = "thrust"
    title = "Thrust"
    order = 50
    prefixes: tuple[str, ...] = ("thrust/", "cub/")
    namespaces: tuple[str, ...] = ("thrust", "cub")
    macro_prefixes: tuple[str, ...] = ("THRUST_", "CUB_")
    dialects = frozenset(Dialect)
    licence = "Apache-2.0 AND BSD-3-Clause"
    packages: tuple[str, ...] = ("libthrust-dev", "libcub-dev")
    wheels: tuple[str, ...] = ()
    wheel_folders: tuple[str, ...] = ()
    system_folders: tuple[str, ...] = (
        "/usr/local/cuda/include",
        "/opt/cuda/include",
        "/usr/include",
    )
    held_prefixes: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ()

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder holds, where Thrust and CUB have one version before CCCL's."""
        parts = find_parts(folder, _LAYOUTS, "thrust/version.h")
        if not parts:
            return None

        places = dict(parts)
        thrust = read_number(places["thrust"] / "version.h", "THRUST_VERSION")
        cub = read_number(places["cub"] / "version.cuh", "CUB_VERSION")
        if thrust is None or cub is None or thrust // 100 != cub // 100:
            return None
        if thrust >= _FIRST_OF_CCCL:
            return None

        version = split_number(thrust, _VERSION_FACTORS)
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what parsers other than nvcc need."""
        # its own device system is CUDA's; pointers, iterators and functors are of no system
        return _HIP_FLAGS if dialect is Dialect.HIP else _FLAGS


PLUGIN: Final[HeaderLibrary] = Thrust()
