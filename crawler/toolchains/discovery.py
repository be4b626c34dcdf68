"""Discover the compilers and device libraries installed on this machine."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crawler import headers, process
from crawler.libraries.discovery import libraries_digest
from crawler.process_limits import Limits

OLDEST_CLANG: Final = 18
NEWEST_CLANG: Final = 30
_BITCODE_FOLDERS: Final = (
    "/opt/rocm/amdgcn/bitcode",
    "/opt/rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/usr/lib/clang/*/amdgcn/bitcode",
)
_ROCM_ROOTS: Final = ("/opt/rocm",)
_HIP_INCLUDES: Final = ("/opt/rocm/include", "/usr/include")
_CUDA_ROOTS: Final = ("/usr/local/cuda", "/opt/cuda")
_CUDA_PATH: Final = "/usr/local/cuda/bin:/opt/cuda/bin"
_ROCM_PATH: Final = "/opt/rocm/bin"
_ROCM_VERSION: Final = r"(\d+\.\d+(?:\.\d+)?)"
_UNKNOWN_VERSION: Final = "unknown"
_VERSION_SECONDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Clang:
    """A clang++ that compiles device code."""

    path: Path
    version: str
    resource_dir: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Rocm:
    """AMD's device library and HIP's headers."""

    bitcode: Path
    include: Path
    version: str
    """Of HIP, as its own header says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hipcc:
    """AMD's own compiler, of an installed ROCm."""

    path: Path
    root: Path
    bitcode: Path
    version: str
    """Of HIP, as hipconfig says."""


@cache
def find_clang() -> Clang | None:
    """Return the newest clang++ of at least version 18, or `None`."""
    versions = range(NEWEST_CLANG, OLDEST_CLANG - 1, -1)
    names = [f"clang++-{version}" for version in versions]

    for name in (*names, "clang++"):
        path = shutil.which(name)
        if path is None:
            continue

        version = _read_clang_version(Path(path))
        if version and int(version.split(".")[0]) >= OLDEST_CLANG:
            return Clang(
                path=Path(path),
                version=version,
                resource_dir=_read_resource_dir(Path(path)),
            )

    return None


@cache
def find_rocm() -> Rocm | None:
    """Return the ROCm libraries that device code is compiled against.

    Returns `None` where either part is missing.
    """
    bitcode = next(_iter_bitcode_folders(), None)
    include = next(_iter_hip_includes(), None)
    if bitcode is None or include is None:
        return None
    return Rocm(bitcode=bitcode, include=include, version=_read_hip_version(include))


@cache
def find_hipcc() -> Hipcc | None:
    """Return the compiler of an installed ROCm of AMD's own, or `None`.

    A distribution's hipcc is a script round another clang, and is not taken.
    """
    for root in map(Path, _ROCM_ROOTS):
        path = root / "bin/hipcc"
        libraries = _list_device_libraries(root)
        if not path.is_file() or not libraries:
            continue

        version = _read_version(root / "bin/hipconfig", _ROCM_VERSION)
        if version:
            return Hipcc(path=path, root=root, bitcode=libraries[0], version=version)

    return None


@cache
def find_ptxas() -> Path | None:
    """Return NVIDIA's assembler, or `None`."""
    return _find_nvidia_tool("ptxas")


@cache
def read_ptxas_version() -> str:
    """Return the release of NVIDIA's assembler, empty where there is none."""
    return _read_version(find_ptxas(), r"V(\d+(?:\.\d+)+)")


@cache
def find_libdevice() -> Path | None:
    """Return NVIDIA's library of device functions, as bitcode, or `None`.

    It is searched beside the assembler, without which nobody needs it.
    """
    assembler = find_ptxas()
    if assembler is None:
        return None

    roots = (
        assembler.parents[1],
        assembler.resolve().parents[1],
        *map(Path, _CUDA_ROOTS),
    )

    for root in roots:
        library = root / "nvvm/libdevice/libdevice.10.bc"
        if library.is_file():
            return library

    return None


@cache
def find_nvcc() -> Path | None:
    """Return NVIDIA's compiler, or `None`; it is used only where the user asks for it."""
    return _find_nvidia_tool("nvcc")


@cache
def read_tool_versions() -> Mapping[str, str]:
    """Return the versions of `python`, `cuda` and `rocm` of this machine, without missing ones."""
    versions = {
        "python": platform.python_version(),
        "cuda": _read_version(find_nvcc(), r"release (\d+\.\d+)"),
        "rocm": _read_rocm_version(),
    }
    return {name: version for name, version in versions.items() if version}


def _read_rocm_version() -> str:
    for name in ("hipconfig", "hipcc"):
        version = _read_version(_find_rocm_tool(name), _ROCM_VERSION)
        if version:
            return version

    rocm = find_rocm()
    if rocm is None or rocm.version == _UNKNOWN_VERSION:
        return ""

    return rocm.version


@cache
def toolchain_digest() -> str:
    """Return the sha256 of everything that a verdict of `pass_call` depends on besides the unit."""
    state = hashlib.sha256(headers.headers_digest().encode())
    for tool in (find_clang(), find_rocm(), find_hipcc()):
        # the class and field names are part of every digest in the ledger
        state.update(repr(tool).encode())

    # none are here on most machines, and then nothing depends on them
    state.update(read_ptxas_version().encode())
    state.update(libraries_digest().encode())
    return state.hexdigest()


def _read_clang_version(path: Path) -> str:
    output = process.run([str(path), "--version"]).text
    match = re.search(r"clang version (\d+(?:\.\d+)*)", output)
    return match.group(1) if match else ""


def _read_resource_dir(path: Path) -> Path:
    return Path(process.run([str(path), "-print-resource-dir"]).text.strip())


def _find_nvidia_tool(name: str) -> Path | None:
    path = shutil.which(name) or shutil.which(name, path=_CUDA_PATH)
    return Path(path) if path else _find_in_wheels(name)


def _find_in_wheels(name: str) -> Path | None:
    """Return a tool of NVIDIA's wheels, whose folders are named by component or by version."""
    for folder in sys.path:
        for path in sorted(Path(folder).glob(f"nvidia/*/bin/{name}")):
            return path
    return None


def _find_rocm_tool(name: str) -> Path | None:
    path = shutil.which(name) or shutil.which(name, path=_ROCM_PATH)
    return Path(path) if path else None


def _read_version(program: Path | None, pattern: str) -> str:
    """Return what `pattern` finds in a program's `--version`; empty where there is no program."""
    if program is None:
        return ""

    limits = Limits(seconds=_VERSION_SECONDS)
    output = process.run([str(program), "--version"], limits=limits).text
    match = re.search(pattern, output)

    return match.group(1) if match else ""


def _iter_bitcode_folders() -> Iterator[Path]:
    for pattern in _BITCODE_FOLDERS:
        for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            # `ockl`, the library of OpenCL's built-ins, whichever name it has
            names = ("ockl.bc", "ockl.amdgcn.bc")
            if any((folder / name).is_file() for name in names):
                yield folder


def _iter_hip_includes() -> Iterator[Path]:
    for folder in map(Path, _HIP_INCLUDES):
        if (folder / "hip/hip_runtime.h").is_file():
            yield folder


def _list_device_libraries(root: Path) -> list[Path]:
    """Return the folders of device libraries of a ROCm, the newest compiler's first."""
    compilers = sorted(
        root.glob("lib/llvm/lib/clang/*/lib/amdgcn/bitcode"), reverse=True
    )
    folders = [root / "amdgcn/bitcode", *compilers]
    return [folder for folder in folders if (folder / "ocml.bc").is_file()]


def _read_hip_version(include: Path) -> str:
    header = include / "hip/hip_version.h"
    if not header.is_file():
        return _UNKNOWN_VERSION

    text = header.read_text("utf-8", "replace")
    numbers: list[str] = []

    for part in ("MAJOR", "MINOR", "PATCH"):
        match = re.search(rf"#define HIP_VERSION_{part}\s+(\d+)", text)
        if match:
            numbers.append(match.group(1))

    return ".".join(numbers) or _UNKNOWN_VERSION
