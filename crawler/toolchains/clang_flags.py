"""Clang flags for parsing sources and compiling kernel units against the bundled headers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.headers import ROOT
from crawler.libraries.view import get_include_flags
from crawler.model import Dialect
from crawler.toolchains import hip_flags

CALLED_CLANG: Final = "${CXX:-clang++-19}"
"""How an exported command calls the compiler: the one that `deploy/bootstrap` installs, where no
other is named.
"""

# what the compilers of a dialect define in a pass for one of its devices
_DEVICE_DEFINES: Final = {
    Dialect.CUDA: ("-D__CUDA_ARCH__=800",),
    Dialect.HIP: (
        "-D__HIP_DEVICE_COMPILE__=1",
        "-D__AMDGCN__=1",
        "-D__AMDGPU__=1",
        "-D__GFX9__=1",
        "-D__gfx90a__=1",
    ),
}
_HIP_DEFINES: Final = ("-D__HIP__=1", "-D__HIPCC__=1", "-D__HIP_PLATFORM_AMD__=1")
_VARIADIC_FUNCTIONS: Final = ("-Xclang", "-fcuda-allow-variadic-functions")
"""nvcc accepts `__device__ void ignore(...)`, and clang where it finds an installed CUDA."""
_PARSE_LANGUAGE: Final = (
    "-x",
    "cuda",
    "--cuda-host-only",
    "-nocudainc",
    "-nocudalib",
    *_VARIADIC_FUNCTIONS,
)
# clang claims to be GCC 4.2.1, which projects refuse as too old
_HOST_COMPILER: Final = ("-fgnuc-version=9.4.0",)
_QUIET: Final = (
    "-w",
    "-ferror-limit=0",
    "-Wno-unknown-cuda-version",
    "-fno-caret-diagnostics",
)
# nvcc and newer clangs take more expressions for constant, such as AMD's builtins; nvcc's front
# end knows `typeof` under every standard, and reads `"%d"NAME` as two words, as gcc does
_LENIENT: Final = (
    "-Wno-invalid-constexpr",
    "-Wno-reserved-user-defined-literal",
    "-fgnu-keywords",
)
_PARSE_TREES: Final = ("cuda", "torch", "common", "hip_parse")
_COMPILE_TREES: Final = ("cuda", "torch", "common")


def _include_flags(trees: tuple[str, ...]) -> tuple[str, ...]:
    flags: list[str] = []
    for tree in trees:
        flags += ["-isystem", str(ROOT / tree)]
    return tuple(flags)


def get_parse_prelude(*, with_torch: bool, with_standard_library: bool = False) -> Path:
    """Return the header that every parse includes first.

    `with_torch` it stands for torch's own headers, of which our tree then needs none.
    `with_standard_library` it includes what sources that use the C++ library mostly include.
    """
    if with_torch:
        return ROOT / "torch/kernelset/torch_parse.cuh"
    if with_standard_library:
        return ROOT / "cuda/kernelset/host.cuh"
    return ROOT / "cuda/kernelset/cuda.cuh"


def get_parse_flags(
    overlay: Path, *, standard: str = "c++17", device_dialect: Dialect | None = None
) -> tuple[str, ...]:
    """Return the flags of a parse: HIP is parsed as CUDA, with its names declared over our shim.

    `overlay` is a file that holds `headers.overlay.render_overlay()`. With `device_dialect` the
    parse sees code under what the compilers of that dialect define on its devices, such as
    `#if __CUDA_ARCH__`.
    """
    device_defines = _DEVICE_DEFINES[device_dialect] if device_dialect else ()
    return (
        *_PARSE_LANGUAGE,
        f"-std={standard}",
        *_HOST_COMPILER,
        *_QUIET,
        *_LENIENT,
        *device_defines,
        # libclang does not know its own folder, and an overlay cannot resolve the `/../lib`
        # that it derives instead
        "-ccc-install-dir",
        "/usr/bin",
        "-ivfsoverlay",
        str(overlay),
        *_include_flags(_PARSE_TREES),
    )


def get_dialect_defines(dialect: Dialect | None) -> tuple[str, ...]:
    """Return the flags that define what compilers of `dialect` define everywhere, unlike nvcc."""
    return _HIP_DEFINES if dialect is Dialect.HIP else ()


def get_editor_flags(overlay: Path) -> tuple[str, ...]:
    """Return the flags by which clangd, clang-tidy and clang parse CUDA or HIP as we do.

    A standard and the prelude of `get_parse_prelude` belong to them; `overlay` is as for
    `get_parse_flags`.
    """
    return (
        *_PARSE_LANGUAGE,
        *_HOST_COMPILER,
        "-Wno-unknown-cuda-version",
        "-ivfsoverlay",
        str(overlay),
        *_include_flags(_PARSE_TREES),
    )


def get_compile_flags(
    dialect: Dialect,
    target: str,
    standard: str = "c++17",
    libraries: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the flags that compile a unit for `target`, to an object (HIP) or to PTX (CUDA).

    `libraries` are those that it is compiled with as they are installed; raises `MissingTool`
    where one is not.
    """
    if dialect is Dialect.HIP:
        return hip_flags.get_hip_compile_flags(target, standard, libraries=libraries)

    return (
        "-x",
        "cuda",
        "--cuda-device-only",
        f"--cuda-gpu-arch={target}",
        "-nocudainc",
        "-nocudalib",
        *_VARIADIC_FUNCTIONS,
        f"-std={standard}",
        "-O2",
        "-S",
        *_QUIET,
        *_LENIENT,
        *get_include_flags(libraries, dialect),
        *_include_flags(_COMPILE_TREES),
    )
