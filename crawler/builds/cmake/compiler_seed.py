"""Seed a CMake build folder with compiler checks that were run once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.checkout.untrusted_files import read_untrusted_file
from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.errors import BadDatabase
from crawler.process import Limits
from crawler.sandbox import Mount

_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=64 << 20)
_PROJECT: Final = (
    "cmake_minimum_required(VERSION 3.18)\nproject(seed LANGUAGES C CXX CUDA ASM)\n"
)
# compilers that are never called: a project may ask for them before it comes to its kernels
_HIP: Final = f"""
set(CMAKE_HIP_COMPILER "{rocm_toolkit.COMPILER}")
set(CMAKE_HIP_COMPILER_ID Clang)
set(CMAKE_HIP_COMPILER_VERSION 18.0.0)
set(CMAKE_HIP_COMPILER_FRONTEND_VARIANT GNU)
set(CMAKE_HIP_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_HIP_EXTENSIONS_COMPUTED_DEFAULT ON)
set(CMAKE_HIP_COMPILE_FEATURES cxx_std_98 cxx_std_11 cxx_std_14 cxx_std_17 cxx_std_20 cxx_std_23
    hip_std_98 hip_std_11 hip_std_14 hip_std_17 hip_std_20 hip_std_23)
set(CMAKE_HIP_COMPILER_ROCM_ROOT "{rocm_toolkit.MOUNT_POINT}")
set(CMAKE_HIP_COMPILER_ENV_VAR HIPCXX)
set(CMAKE_HIP_SOURCE_FILE_EXTENSIONS hip)
set(CMAKE_HIP_LINKER_PREFERENCE 90)
set(CMAKE_HIP_RUNTIME_LIBRARY_DEFAULT SHARED)
"""
_FORTRAN: Final = """
set(CMAKE_Fortran_COMPILER /usr/bin/false)
set(CMAKE_Fortran_COMPILER_ID GNU)
set(CMAKE_Fortran_COMPILER_VERSION 12.2.0)
set(CMAKE_Fortran_COMPILER_SUPPORTS_F90 1)
set(CMAKE_Fortran_COMPILER_ENV_VAR FC)
set(CMAKE_Fortran_SOURCE_FILE_EXTENSIONS f;F;fpp;FPP;f77;F77;f90;F90;for;For;FOR;f95;F95)
set(CMAKE_Fortran_IGNORE_EXTENSIONS h;H;o;O;obj;OBJ;def;DEF;rc;RC)
set(CMAKE_Fortran_LINKER_PREFERENCE 20)
"""
# an older CMake does not know that nvcc speaks these
_CUDA: Final = """
foreach(standard 20 23)
  if(NOT CMAKE_CUDA${standard}_COMPILE_FEATURES)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_${standard})
    set(CMAKE_CUDA${standard}_COMPILE_FEATURES cuda_std_${standard})
    set(CMAKE_CUDA${standard}_STANDARD_COMPILE_OPTION -std=c++${standard})
    set(CMAKE_CUDA${standard}_EXTENSION_COMPILE_OPTION -std=c++${standard})
  endif()
endforeach()
"""
_KNOWN: Final = """
set(CMAKE_{0}_COMPILER_LOADED 1)
set(CMAKE_{0}_COMPILER_ID_RUN 1)
set(CMAKE_{0}_COMPILER_WORKS TRUE)
set(CMAKE_{0}_ABI_COMPILED TRUE)
set(CMAKE_{0}_SIZEOF_DATA_PTR 8)
set(CMAKE_{0}_COMPILER_ABI ELF)
set(CMAKE_{0}_OUTPUT_EXTENSION .o)
"""


def seed_build_folder(
    build_folder: Path, mounts: tuple[Mount, ...], flags: tuple[str, ...]
) -> None:
    """Write into the new folder `build_folder` what a run of CMake there would find out."""
    for name, content in _learnt(mounts, flags).items():
        place = build_folder / "CMakeFiles" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        for path, mode in (
            (place, 0o666),
            (place.parent, 0o777),
            (place.parent.parent, 0o777),
        ):
            path.chmod(mode)


_cached: dict[tuple[str, ...], dict[str, bytes]] = {}


def _learnt(mounts: tuple[Mount, ...], flags: tuple[str, ...]) -> dict[str, bytes]:
    if flags not in _cached:
        with tempfile.TemporaryDirectory(prefix="kernelset-seed-") as scratch:
            _cached[flags] = _learn(Path(scratch), mounts, flags)
    return _cached[flags]


def _learn(
    scratch: Path, mounts: tuple[Mount, ...], flags: tuple[str, ...]
) -> dict[str, bytes]:
    """Configure a project of our own; nothing is learnt where that fails, and then CMake looks
    for itself.
    """
    source, build = scratch / "source", scratch / "build"
    source.mkdir()
    build.mkdir()
    (source / "CMakeLists.txt").write_text(_PROJECT)
    places = (
        Mount(source=source, target="/src"),
        Mount(source=build, target="/build", writable=True),
        *mounts,
    )
    argv = ("cmake", "-S", "/src", "-B", "/build", *flags)
    ended = sandbox.run(
        argv,
        mounts=places,
        cwd="/build",
        env=get_configure_environment(),
        limits=_LIMITS,
    )
    if ended.exit_code != 0:
        return {}
    found = {}
    for path in (build / "CMakeFiles").glob("*/CMake*.cmake"):
        try:
            found[f"{path.parent.name}/{path.name}"] = read_untrusted_file(path)
        except BadDatabase:
            return {}
    for name in found:
        if name.endswith("/CMakeCUDACompiler.cmake"):
            found[name] += _CUDA.encode()
    version = next((name.partition("/")[0] for name in found), "")
    for language, text in (("HIP", _HIP), ("Fortran", _FORTRAN)):
        found[f"{version}/CMake{language}Compiler.cmake"] = (
            text + _KNOWN.format(language)
        ).encode()
    return found


@cache
def get_configure_environment() -> dict[str, str]:
    """Return the environment of a configure run."""
    path = (
        f"{cuda_toolkit.MOUNT_POINT}/bin:{rocm_toolkit.MOUNT_POINT}/bin:/usr/bin:/bin"
    )
    return {
        "PATH": path,
        "CUDA_HOME": cuda_toolkit.MOUNT_POINT,
        "CUDA_PATH": cuda_toolkit.MOUNT_POINT,
        "ROCM_PATH": rocm_toolkit.MOUNT_POINT,
        "HIP_PATH": rocm_toolkit.MOUNT_POINT,
        "HIP_PLATFORM": "amd",
    }
