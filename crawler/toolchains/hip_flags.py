"""Flags for compiling HIP units to AMD code objects against HIP's own headers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.headers import ROOT
from crawler.toolchains import discovery

_LANGUAGE: Final = (
    "-x",
    "hip",
    "--cuda-device-only",
    "--no-gpu-bundle-output",
    "-fuse-cuid=none",
)


def get_hip_compile_flags(
    target: str, standard: str = "c++17", *, is_vendor_compiler: bool = False
) -> tuple[str, ...]:
    """Return the flags that make one code object for `target`; a compiler of its
    `is_vendor_compiler` ROCm knows where that lies.
    """
    includes = tuple(f"-I{ROOT / tree}" for tree in ("hip", "torch", "common"))
    return (
        *_LANGUAGE,
        f"-std={standard.replace('c++', 'gnu++')}",
        f"--offload-arch={target}",
        "-O3",
        "-Wno-invalid-constexpr",  # newer compilers take more for constant
        *includes,
        *(() if is_vendor_compiler else _installed()),
    )


def _installed() -> tuple[str, ...]:
    rocm = discovery.find_rocm()
    if rocm is None:
        return ()
    # a second mention of /usr/include would break libstdc++'s include_next
    include = (
        () if rocm.include == Path("/usr/include") else (f"-isystem{rocm.include}",)
    )
    return (*include, f"--rocm-device-lib-path={rocm.bitcode}")
