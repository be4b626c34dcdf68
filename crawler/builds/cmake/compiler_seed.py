"""Seed a CMake build folder with compiler checks that were run once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.process_folders import make_prefix

_LIMITS: Final = Limits(seconds=60, cpu_seconds=60, file_bytes=64 << 20)
_SEED_PROJECT: Final = (
    "cmake_minimum_required(VERSION 3.18)\nproject(seed LANGUAGES C CXX CUDA ASM)\n"
)
# The HIP and Fortran compilers are never called. A project may enable their languages before
# it comes to its kernels, and then CMake only reads what was found out about them.
_HIP_COMPILER: Final = f"""
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
_FORTRAN_COMPILER: Final = """
set(CMAKE_Fortran_COMPILER /usr/bin/false)
set(CMAKE_Fortran_COMPILER_ID GNU)
set(CMAKE_Fortran_COMPILER_VERSION 12.2.0)
set(CMAKE_Fortran_COMPILER_SUPPORTS_F90 1)
set(CMAKE_Fortran_COMPILER_ENV_VAR FC)
set(CMAKE_Fortran_SOURCE_FILE_EXTENSIONS f;F;fpp;FPP;f77;F77;f90;F90;for;For;FOR;f95;F95)
set(CMAKE_Fortran_IGNORE_EXTENSIONS h;H;o;O;obj;OBJ;def;DEF;rc;RC)
set(CMAKE_Fortran_LINKER_PREFERENCE 20)
"""
_DESCRIPTIONS: Final = {"HIP": _HIP_COMPILER, "Fortran": _FORTRAN_COMPILER}
# An older CMake does not know that nvcc accepts these standards.
_CUDA_STANDARDS: Final = """
foreach(standard 20 23)
  if(NOT CMAKE_CUDA${standard}_COMPILE_FEATURES)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_${standard})
    set(CMAKE_CUDA${standard}_COMPILE_FEATURES cuda_std_${standard})
    set(CMAKE_CUDA${standard}_STANDARD_COMPILE_OPTION -std=c++${standard})
    set(CMAKE_CUDA${standard}_EXTENSION_COMPILE_OPTION -std=c++${standard})
  endif()
endforeach()
"""
# What CMake writes for a language whose compiler has passed its checks.
_CHECKED_LANGUAGE: Final = """
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
    """Write into the new `build_folder` what CMake would find out about the compilers there.

    Checking four compilers takes longer than configuring most projects.
    """
    # For example `3.25.1/CMakeCUDACompiler.cmake`.
    for name, content in _get_compiler_files(mounts, flags).items():
        path = build_folder / "CMakeFiles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

        # CMake runs as another user inside the sandbox, and rewrites these.
        path.chmod(0o666)
        path.parent.chmod(0o777)
        path.parent.parent.chmod(0o777)


_compiler_files_by_flags: dict[tuple[str, ...], dict[str, bytes]] = {}


def _get_compiler_files(
    mounts: tuple[Mount, ...], flags: tuple[str, ...]
) -> dict[str, bytes]:
    if flags not in _compiler_files_by_flags:
        with tempfile.TemporaryDirectory(prefix=make_prefix("seed")) as scratch:
            compiler_files = _detect_compilers(Path(scratch), mounts, flags)

        _compiler_files_by_flags[flags] = compiler_files

    return _compiler_files_by_flags[flags]


def _detect_compilers(
    scratch: Path, mounts: tuple[Mount, ...], flags: tuple[str, ...]
) -> dict[str, bytes]:
    """Configure a project of our own, and return the files that describe its compilers.

    Nothing is returned where that fails: each configure run then checks the compilers itself.
    """
    source = scratch / "source"
    build = scratch / "build"
    source.mkdir()
    build.mkdir()
    (source / "CMakeLists.txt").write_text(_SEED_PROJECT)

    configure_run = sandbox.run(
        ("cmake", "-S", "/src", "-B", "/build", *flags),
        mounts=(
            Mount(
                source=source,
                target="/src",
            ),
            Mount(
                source=build,
                target="/build",
                writable=True,
            ),
            *mounts,
        ),
        cwd="/build",
        env=get_configure_environment(),
        limits=_LIMITS,
    )

    if configure_run.exit_code != 0:
        return {}

    compiler_files: dict[str, bytes] = {}
    for path in (build / "CMakeFiles").glob("*/CMake*.cmake"):
        try:
            content = read_untrusted_file(path)
        except BadDatabase:
            return {}

        compiler_files[f"{path.parent.name}/{path.name}"] = content

    _add_uncalled_compilers(compiler_files)

    return compiler_files


def _add_uncalled_compilers(compiler_files: dict[str, bytes]) -> None:
    """Complete what was found out about nvcc, and add the compilers that are never called."""
    for name in compiler_files:
        if name.endswith("/CMakeCUDACompiler.cmake"):
            compiler_files[name] += _CUDA_STANDARDS.encode()

    # The files lie in a folder that is called by the version of CMake.
    cmake_version = next((name.partition("/")[0] for name in compiler_files), "")
    for language in _DESCRIPTIONS:
        name = f"{cmake_version}/CMake{language}Compiler.cmake"
        compiler_files[name] = render_compiler_file(language).encode()


def render_compiler_file(language: str) -> str:
    """Return the file that CMake writes for a compiler that it has found and checked.

    `language` is `HIP` or `Fortran`.
    """
    return _DESCRIPTIONS[language] + _CHECKED_LANGUAGE.format(language)


@cache
def get_configure_environment() -> dict[str, str]:
    """Return the environment of a configure run."""
    cuda_home = cuda_toolkit.MOUNT_POINT
    rocm_home = rocm_toolkit.MOUNT_POINT

    return {
        "PATH": f"{cuda_home}/bin:{rocm_home}/bin:/usr/bin:/bin",
        "CUDA_HOME": cuda_home,
        "CUDA_PATH": cuda_home,
        "ROCM_PATH": rocm_home,
        "HIP_PATH": rocm_home,
        "HIP_PLATFORM": "amd",
    }
