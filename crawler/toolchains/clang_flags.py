"""Clang flags for parsing sources and compiling kernel units against the bundled headers."""

from __future__ import annotations

from pathlib import Path

from crawler.headers import ROOT
from crawler.model import Dialect
from crawler.toolchains import hip_flags

_ON_DEVICE = {
    Dialect.CUDA: ("-D__CUDA_ARCH__=800",),
    Dialect.HIP: tuple(
        f"-D{name}=1"
        for name in (
            "__HIP_DEVICE_COMPILE__",
            "__AMDGCN__",
            "__AMDGPU__",
            "__GFX9__",
            "__gfx90a__",
        )
    ),
}
_OF_HIP = ("-D__HIP__=1", "-D__HIPCC__=1", "-D__HIP_PLATFORM_AMD__=1")
_HOST_COMPILER = (
    "-fgnuc-version=9.4.0",
)  # clang says 4.2.1, which projects take for too old
_ALWAYS = (
    "-w",
    "-ferror-limit=0",
    "-Wno-unknown-cuda-version",
    "-fno-caret-diagnostics",
)
_FORGIVEN = (
    "-Wno-invalid-constexpr",
)  # nvcc and newer clangs take more for constant, as builtins of AMD's are


def _includes(*trees: str) -> tuple[str, ...]:
    return tuple(word for tree in trees for word in ("-isystem", str(ROOT / tree)))


def get_parse_prelude(*, with_torch: bool, with_standard_library: bool = False) -> Path:
    """Return the header that is forced into a parse, so that no header of torch needs to be
    named by our tree.

    With `with_standard_library` it brings what sources that use the C++ library mostly include.
    """
    plain = (
        "cuda/kernelset/host.cuh"
        if with_standard_library
        else "cuda/kernelset/cuda.cuh"
    )
    return ROOT / ("torch/kernelset/torch_parse.cuh" if with_torch else plain)


def get_parse_flags(
    overlay: Path, *, standard: str = "c++17", device_dialect: Dialect | None = None
) -> tuple[str, ...]:
    """Return the flags of a parse: HIP sources are parsed as CUDA too, with HIP's names
    declared over our CUDA shim.

    `overlay` is a file that holds `headers.overlay.overlay()`; with `device_dialect`, code
    shows that stands under what the
    compilers of that dialect define on its devices, such as `#if __CUDA_ARCH__`.
    """
    return (
        *(
            "-x",
            "cuda",
            "--cuda-host-only",
            "-nocudainc",
            "-nocudalib",
            f"-std={standard}",
        ),
        *(*_HOST_COMPILER, *_ALWAYS, *_FORGIVEN),
        *(_ON_DEVICE[device_dialect] if device_dialect else ()),
        # libclang does not know its own folder, and an overlay does not forgive the `/../lib`
        # that follows from that
        *("-ccc-install-dir", "/usr/bin", "-ivfsoverlay", str(overlay)),
        *_includes("cuda", "torch", "common", "hip_parse"),
    )


def get_dialect_defines(dialect: Dialect | None) -> tuple[str, ...]:
    """Return the flags of a parse that define what compilers of `dialect` define everywhere,
    and nvcc does not.
    """
    return _OF_HIP if dialect is Dialect.HIP else ()


def get_editor_flags(overlay: Path) -> tuple[str, ...]:
    """Return the flags by which clangd, clang-tidy and clang itself parse a CUDA or HIP source
    as we do.

    A standard and `parse_prelude` belong to them; `overlay` is as for `parse_flags`.
    """
    return (
        *(
            "-x",
            "cuda",
            "--cuda-host-only",
            "-nocudainc",
            "-nocudalib",
            *_HOST_COMPILER,
        ),
        *("-Wno-unknown-cuda-version", "-ivfsoverlay", str(overlay)),
        *_includes("cuda", "torch", "common", "hip_parse"),
    )


def get_compile_flags(
    dialect: Dialect, target: str, standard: str = "c++17"
) -> tuple[str, ...]:
    """Return the flags that compile a unit's device code for `target` to an object (HIP) or to
    PTX (CUDA).
    """
    if dialect is Dialect.HIP:
        return hip_flags.get_hip_compile_flags(target, standard)
    return (
        *(
            "-x",
            "cuda",
            "--cuda-device-only",
            f"--cuda-gpu-arch={target}",
            "-nocudainc",
            "-nocudalib",
        ),
        *(
            f"-std={standard}",
            "-O2",
            "-S",
            *_ALWAYS,
            *_FORGIVEN,
            *_includes("cuda", "torch", "common"),
        ),
    )
