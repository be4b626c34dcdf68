"""Toolkits whose nvcc, hipcc and C++ compilers make programs that run on the CPU model."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from crawler import headers, sandbox
from crawler.builds.sandbox_paths import CUDA_HOME
from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.builds.stub_toolchain.script_files import write_program
from crawler.cpp.language_standard import DEFAULT_STANDARD
from crawler.headers.overlay import render_program_overlay
from crawler.sandbox import Mount
from crawler.toolchains import discovery
from crawler.validate.programs.host_build.build_failure import (
    BuildFailed,
)
from crawler.validate.programs.host_build.program_build import build_runtime
from crawler.validate.suites.device_libraries import (
    list_host_flags,
    list_library_flags,
)
from crawler.validate.suites.own_builds.stand_in_paths import SETTINGS_FILE

_COMPILER: Final = "crawler.validate.suites.own_builds.inside.stand_in_compiler"
_COMPILER_NAMES: Final = ("nvcc", "c++", "g++", "clang++")
_ROCM_COMPILERS: Final = {"bin/hipcc": "hipcc", "llvm/bin/clang++": "clang++"}
"""Path of each compiler in ROCm, and the name by which it is called."""
_ROCM_LIBRARIES: Final = ("libamdhip64.so", "libhip_hcc.so")
_RUNTIME: Final = "libkernelset.so"
_RUNTIME_LIBRARIES: Final = (
    *("libcudart.so", "libcudart_static.a", "libcudadevrt.a"),
    *("libcuda.so", "stubs/libcuda.so"),
)
"""What a link line may name to get the runtime."""
_PARSER_HEADERS: Final = headers.ROOT / "common"
_OVERLAY: Final = "overlay.json"
_OWN_FLAGS: Final = (
    *("-DKERNELSET_PART=1", "-ivfsoverlay", f"{CUDA_HOME}/{_OVERLAY}"),
    # a project's C++ sources may include Thrust, too, and its CUDA backend needs a GPU
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
)
# a parse needs no more of it than its macros; here tests are compiled against the real one
_PARSER_ONLY: Final = ("gtest",)


def write_build_toolkits(folder: Path) -> tuple[Mount, ...]:
    """Write the toolkits of CUDA and ROCm into the new `folder`, and return their mounts.

    Raises `BuildFailed` where this machine has no compiler for it.
    """
    clang = discovery.find_clang()
    if clang is None:
        raise BuildFailed("no-compiler", "no clang++ of version 18 or newer")

    cuda, rocm = folder / "cuda", folder / "rocm"
    mounts = (_write_cuda(cuda, clang.path), _write_rocm(rocm))
    flags = list_library_flags(DEFAULT_STANDARD)
    settings = {
        "clang": str(clang.path),
        "device_flags": _adapt_flags(flags),
        "host_flags": _adapt_flags(
            (*list_host_flags(DEFAULT_STANDARD), "-Qunused-arguments")
        ),
    }
    (cuda / SETTINGS_FILE).write_text(json.dumps(settings))
    (cuda / _OVERLAY).write_text(render_program_overlay())
    return mounts


def _write_cuda(folder: Path, clang: Path) -> Mount:
    mount = cuda_toolkit.write_cuda_toolkit(folder)
    programs = folder / "bin"
    (programs / "nvcc").rename(programs / "nvcc-probe")
    for name in _COMPILER_NAMES:
        write_program(programs / name, _make_compiler_script(name))

    flags = list_library_flags(DEFAULT_STANDARD)
    runtime = build_runtime(clang, flags, ("-shared", f"-Wl,-soname,{_RUNTIME}"))
    shutil.copyfile(runtime, folder / "lib64" / _RUNTIME)
    for name in _RUNTIME_LIBRARIES:
        _write_runtime_library(folder / "lib64" / name)

    ignored = shutil.ignore_patterns(*_PARSER_ONLY)
    shutil.copytree(_PARSER_HEADERS, folder / "common", ignore=ignored)
    return mount


def _write_rocm(folder: Path) -> Mount:
    mount = rocm_toolkit.write_rocm_toolkit(folder)
    (folder / "bin/hipcc").rename(folder / "bin/hipcc-probe")
    for path, name in _ROCM_COMPILERS.items():
        write_program(folder / path, _make_compiler_script(name))
    for name in _ROCM_LIBRARIES:
        _write_runtime_library(folder / "lib" / name)

    return mount


def _write_runtime_library(path: Path) -> None:
    # a linker takes a text for a script
    path.write_text(f"INPUT({CUDA_HOME}/lib64/{_RUNTIME})\n")


def list_toolkit_mounts(toolkits: tuple[Mount, ...]) -> tuple[Mount, ...]:
    """Return what the toolkits' compilers need inside."""
    return (
        *sandbox.list_python_mounts(),
        Mount(source=headers.ROOT, target=str(headers.ROOT)),
        *toolkits,
    )


def _make_compiler_script(name: str) -> str:
    python = shlex.quote(sys.executable)
    variables = sandbox.make_python_environment()
    words = [f"{key}={shlex.quote(value)}" for key, value in variables.items()]
    return f'#!/bin/sh\n{" ".join(words)} exec {python} -m {_COMPILER} {name} "$@"\n'


def _adapt_flags(flags: tuple[str, ...]) -> list[str]:
    """Return the flags of our own builds for those of a project."""
    own = str(_PARSER_HEADERS)
    adapted = [f"{CUDA_HOME}/common" if flag == own else flag for flag in flags]
    return [*adapted, *(flag for flag in _OWN_FLAGS if flag not in adapted)]
