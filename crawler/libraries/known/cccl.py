"""CCCL: libcu++ with Thrust and CUB of one release, as they come since version 2."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.libraries.interface import HeaderLibrary, InstalledLibrary, find_parts
from crawler.libraries.version_macros import read_number, split_number
from crawler.model import Dialect

_VERSION_FACTORS: Final = (1_000_000, 1_000, 1)
_THRUST_FACTORS: Final = (100_000, 100, 1)
_FIRST_THRUST: Final = 200_000
"""Before, Thrust stood alone beside a libcu++ of another release."""
_LIBCUDACXX: Final = "libcudacxx/include"
_LAYOUTS: Final = (
    # a checkout
    {
        "thrust": "thrust/thrust",
        "cub": "cub/cub",
        "cuda": f"{_LIBCUDACXX}/cuda",
        "nv": f"{_LIBCUDACXX}/nv",
    },
    # within a toolkit of CUDA 13, and then as it is installed by itself
    {"thrust": "cccl/thrust", "cub": "cccl/cub", "cuda": "cccl/cuda", "nv": "cccl/nv"},
    {"thrust": "thrust", "cub": "cub", "cuda": "cuda", "nv": "nv"},
)
_FLAGS: Final = (
    # it warns of each compiler and standard that it does not know
    "-DCCCL_IGNORE_DEPRECATED_CPP_DIALECT=1",
    "-DCCCL_IGNORE_DEPRECATED_API=1",
    # and compares the toolkit's version with nvcc's, where there is neither
    "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK=1",
)


class Cccl:
    """CCCL, of a wheel, of a CUDA toolkit, or of a checkout."""

    name = "cccl"
    title = "CCCL"
    order = 40
    prefixes: tuple[str, ...] = ("cuda/", "nv/")
    namespaces: tuple[str, ...] = ("cuda",)
    macro_prefixes: tuple[str, ...] = ("_CCCL_", "CCCL_", "_LIBCUDACXX_", "NV_IF_")
    dialects = frozenset({Dialect.CUDA})
    licence = "Apache-2.0 AND BSD-3-Clause AND Apache-2.0 WITH LLVM-exception"
    packages: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ("nvidia-cuda-cccl",)
    wheel_folders: tuple[str, ...] = ("nvidia/cu13/include/cccl",)
    system_folders: tuple[str, ...] = (
        "/usr/local/cuda/include",
        "/opt/cuda/include",
        "/usr/include",
    )
    held_prefixes: tuple[str, ...] = ("thrust/", "cub/")
    companions: tuple[str, ...] = ()
    shims: tuple[str, ...] = ("kernelset/libcudacxx.h",)

    def find_in(self, folder: Path) -> InstalledLibrary | None:
        """Return what a folder of includes, or a checkout, holds."""
        parts = find_parts(folder, _LAYOUTS, "thrust/version.h")
        if not parts:
            return None

        places = dict(parts)
        thrust = read_number(places["thrust"] / "version.h", "THRUST_VERSION")
        if thrust is None or thrust < _FIRST_THRUST:
            return None

        cccl = read_number(places["cuda"] / "std/__cccl/version.h", "CCCL_VERSION")
        version = (
            # before 2.4 it had no number of its own
            split_number(thrust, _THRUST_FACTORS)
            if cccl is None
            else split_number(cccl, _VERSION_FACTORS)
        )
        return InstalledLibrary(name=self.name, version=version, parts=parts)

    def list_flags(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what compilers other than nvcc need."""
        return _FLAGS


PLUGIN: Final[HeaderLibrary] = Cccl()
