"""Header libraries that a test lays out and names, whatever is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from crawler.libraries import discovery

VECTOR_BASE: Final = """\
#pragma once
namespace thrust { namespace detail {
template <typename T> struct vector_base { T *first; };
} }
#define THRUST_HOST_DEVICE __host__ __device__
"""


NEWEST: Final = """\
#pragma once
#define _CCCL_NEWEST __host__ __device__
namespace cuda { namespace std { template <typename T> struct newest { T value; }; } }
"""


def plant_thrust(folder: Path, *, thrust: int = 101702, cub: int = 101702) -> Path:
    """Lay out a Thrust that has what our shim has not, and return its folder of includes."""
    _write(
        folder / "thrust/version.h", f"#pragma once\n#define THRUST_VERSION {thrust}\n"
    )
    _write(folder / "cub/version.cuh", f"#pragma once\n#define CUB_VERSION {cub}\n")
    _write(folder / "thrust/detail/vector_base.h", VECTOR_BASE)
    return folder


def plant_cccl(folder: Path, *, thrust: int = 300001) -> Path:
    """Lay out a CCCL 3.0.1 whose Thrust has what our shim has not, and return its folder."""
    plant_thrust(folder, thrust=thrust, cub=thrust)
    _write(
        folder / "cuda/std/__cccl/version.h",
        "#pragma once\n#define CCCL_VERSION 3000001\n",
    )
    _write(folder / "cuda/std/newest", NEWEST)
    _write(folder / "nv/target", "#pragma once\n")
    return folder


@contextmanager
def naming(*folders: Path) -> Iterator[None]:
    """Look for libraries in `folders` first for as long as this lasts."""
    before = discovery.list_named_folders()
    discovery.name_folders(folders)
    try:
        yield
    finally:
        discovery.name_folders(before)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
