"""Flags for compiling HIP units to AMD code objects against HIP's own headers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.headers import ROOT
from crawler.libraries.view import get_include_flags
from crawler.model import Dialect
from crawler.toolchains import discovery
from crawler.toolchains.hip_pairs import find_pair_headers

_LANGUAGE: Final = (
    "-x",
    "hip",
    "--cuda-device-only",
    "--no-gpu-bundle-output",
    "-fuse-cuid=none",
)
_TREES: Final = ("hip", "torch", "common")
_SYSTEM_INCLUDE: Final = Path("/usr/include")


def get_hip_compile_flags(
    target: str,
    standard: str = "c++17",
    *,
    is_vendor_compiler: bool = False,
    libraries: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the flags that make one code object for `target`.

    A compiler of AMD's own ROCm (`is_vendor_compiler`) knows where that is installed.
    `libraries` are those that a unit is compiled with as they are installed.
    """
    includes = [f"-I{ROOT / tree}" for tree in _TREES]
    if not is_vendor_compiler:
        includes += _installation_flags()

    return (
        *_LANGUAGE,
        f"-std={standard.replace('c++', 'gnu++')}",
        f"--offload-arch={target}",
        "-O3",
        # newer compilers take more expressions for constant
        "-Wno-invalid-constexpr",
        # `"%d"NAME`, which gcc and nvcc read as two words
        "-Wno-reserved-user-defined-literal",
        *get_include_flags(libraries, Dialect.HIP, option="-I"),
        *includes,
    )


def _installation_flags() -> list[str]:
    """Return the flags that name the headers and device libraries of an installed ROCm."""
    rocm = discovery.find_rocm()
    if rocm is None:
        return []

    pairs = find_pair_headers()
    flags = [f"-I{pairs}"] if pairs else []
    # a second mention of /usr/include would break libstdc++'s include_next
    if rocm.include != _SYSTEM_INCLUDE:
        flags.append(f"-isystem{rocm.include}")

    flags.append(f"--rocm-device-lib-path={rocm.bitcode}")

    return flags
