"""Discover the compilers and device libraries installed on this machine."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crawler import headers, process
from crawler.process import Limits

_OLDEST_CLANG = 18
_NEWEST_CLANG = 30
_BITCODE_FOLDERS = (
    "/opt/rocm/amdgcn/bitcode",
    "/opt/rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/usr/lib/clang/*/amdgcn/bitcode",
)
_ROCM_ROOTS = ("/opt/rocm",)
_HIP_INCLUDES = ("/opt/rocm/include", "/usr/include")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One thing that this machine has or lacks, for `doctor`."""

    name: str
    found: str
    """Path and version; empty where it is missing."""
    needed_for: str
    remedy: str = ""


@cache
def find_clang() -> Clang | None:
    """Return the newest clang++ of at least version 18, or `None`."""
    names = [
        f"clang++-{number}" for number in range(_NEWEST_CLANG, _OLDEST_CLANG - 1, -1)
    ] + ["clang++"]
    for path in filter(None, map(shutil.which, names)):
        version = _clang_version(Path(path))
        if version and int(version.split(".")[0]) >= _OLDEST_CLANG:
            return Clang(
                path=Path(path),
                version=version,
                resource_dir=_printed_resource_dir(Path(path)),
            )
    return None


@cache
def find_rocm() -> Rocm | None:
    """Return the ROCm libraries that device code is compiled against, or `None` where either
    part is missing.
    """
    bitcode = next(
        (
            path
            for pattern in _BITCODE_FOLDERS
            for path in _glob(pattern)
            if _has_bitcode(path)
        ),
        None,
    )
    include = next(
        (
            Path(path)
            for path in _HIP_INCLUDES
            if (Path(path) / "hip/hip_runtime.h").is_file()
        ),
        None,
    )
    if bitcode is None or include is None:
        return None
    return Rocm(bitcode=bitcode, include=include, version=_hip_version(include))


@cache
def find_hipcc() -> Hipcc | None:
    """Return the compiler of a ROCm of AMD's own, or `None`: a distribution's hipcc is a script
    round another clang.
    """
    for root in map(Path, _ROCM_ROOTS):
        path, bitcode = root / "bin/hipcc", next(iter(_device_libraries(root)), None)
        version = (
            _said(root / "bin/hipconfig", r"(\d+\.\d+(?:\.\d+)?)")
            if path.is_file() and bitcode
            else ""
        )
        if bitcode and version:
            return Hipcc(path=path, root=root, bitcode=bitcode, version=version)
    return None


@cache
def find_libclang_resource_dir() -> Path | None:
    """Return the folder of clang's own headers that libclang parses with: of version 18 if
    there is one, else newer.
    """
    for version in range(_OLDEST_CLANG, _NEWEST_CLANG + 1):
        for root in (
            f"/usr/lib/llvm-{version}/lib/clang/{version}",
            f"/usr/lib/clang/{version}",
        ):
            if (Path(root) / "include/__clang_cuda_builtin_vars.h").is_file():
                return Path(root)
    found = find_clang()
    return found.resource_dir if found else None


@cache
def find_ptxas() -> Path | None:
    """Return NVIDIA's assembler, or `None`."""
    return _nvidia_tool("ptxas")


@cache
def find_libdevice() -> Path | None:
    """Return NVIDIA's library of device functions, as bitcode, or `None`; it lies beside its
    assembler.
    """
    assembler = find_ptxas()
    if assembler is None:
        return None
    roots = (
        assembler.parents[1],
        assembler.resolve().parents[1],
        *map(Path, ("/usr/local/cuda", "/opt/cuda")),
    )
    found = (root / "nvvm/libdevice/libdevice.10.bc" for root in roots)
    return next((path for path in found if path.is_file()), None)


@cache
def find_nvcc() -> Path | None:
    """Return NVIDIA's compiler, or `None`; it is used where it is asked for."""
    return _nvidia_tool("nvcc")


@cache
def read_tool_versions() -> Mapping[str, str]:
    """Return the versions of `python`, `cuda` and `rocm` that this machine has, as their own
    programs say.
    """
    found = {
        "python": platform.python_version(),
        "cuda": _said(find_nvcc(), r"release (\d+\.\d+)"),
    }
    asked = (
        _said(_rocm_tool(name), r"(\d+\.\d+(?:\.\d+)?)")
        for name in ("hipconfig", "hipcc")
    )
    amd = find_rocm()
    found["rocm"] = next(
        filter(None, asked), amd.version if amd and amd.version != "unknown" else ""
    )
    return {name: version for name, version in found.items() if version}


def list_components() -> tuple[Component, ...]:
    """Return everything that this module looks for, found or not."""
    compiler, amd, resources = find_clang(), find_rocm(), find_libclang_resource_dir()
    bootstrap = "run `deploy/bootstrap`"
    return (
        Component(
            name="clang",
            found=f"{compiler.path} {compiler.version}" if compiler else "",
            needed_for="compiling kernel units",
            remedy=bootstrap,
        ),
        Component(
            name="clang headers",
            found=str(resources or ""),
            needed_for="parsing",
            remedy=bootstrap,
        ),
        Component(
            name="ROCm device library",
            found=f"{amd.bitcode}, HIP {amd.version} in {amd.include}" if amd else "",
            needed_for="compiling for gfx targets",
            remedy=bootstrap,
        ),
        Component(
            name="hipcc",
            found=f"{own.path} {own.version}" if (own := find_hipcc()) else "",
            needed_for="builds by AMD's own ROCm instead of clang",
        ),
        Component(
            name="ptxas",
            found=str(find_ptxas() or ""),
            needed_for="machine code for sm targets, beyond PTX",
        ),
        Component(
            name="nvcc",
            found=str(find_nvcc() or ""),
            needed_for="machine code for sm targets by --compiler nvcc",
        ),
    )


@cache
def toolchain_digest() -> str:
    """Return the sha256 of everything that a verdict of `pass_call` depends on besides the unit."""
    state = hashlib.sha256(headers.headers_digest().encode())
    for part in (find_clang(), find_rocm(), find_hipcc()):
        state.update(repr(part).encode())
    return state.hexdigest()


def _clang_version(path: Path) -> str:
    found = re.search(
        r"clang version (\d+(?:\.\d+)*)", process.run([str(path), "--version"]).text
    )
    return found.group(1) if found else ""


def _printed_resource_dir(path: Path) -> Path:
    return Path(process.run([str(path), "-print-resource-dir"]).text.strip())


def _nvidia_tool(name: str) -> Path | None:
    path = shutil.which(name) or shutil.which(
        name, path="/usr/local/cuda/bin:/opt/cuda/bin"
    )
    return Path(path) if path else _of_a_wheel(name)


def _of_a_wheel(name: str) -> Path | None:
    """Return a tool of NVIDIA's wheels, whose folders are named by part or by version."""
    installed = (
        path
        for folder in sys.path
        for path in sorted(Path(folder).glob(f"nvidia/*/bin/{name}"))
    )
    return next(installed, None)


def _device_libraries(root: Path) -> list[Path]:
    folders = [
        root / "amdgcn/bitcode",
        *sorted(root.glob("lib/llvm/lib/clang/*/lib/amdgcn/bitcode"), reverse=True),
    ]
    return [folder for folder in folders if (folder / "ocml.bc").is_file()]


def _rocm_tool(name: str) -> Path | None:
    path = shutil.which(name) or shutil.which(name, path="/opt/rocm/bin")
    return Path(path) if path else None


def _said(program: Path | None, pattern: str) -> str:
    """Return what a program's `--version` says, empty where there is no such program."""
    if program is None:
        return ""
    found = re.search(
        pattern,
        process.run([str(program), "--version"], limits=Limits(seconds=20)).text,
    )
    return found.group(1) if found else ""


def _glob(pattern: str) -> list[Path]:
    return sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)


def _has_bitcode(folder: Path) -> bool:
    return (folder / "ockl.bc").is_file() or (folder / "ockl.amdgcn.bc").is_file()


def _hip_version(include: Path) -> str:
    header = include / "hip/hip_version.h"
    text = header.read_text("utf-8", "replace") if header.is_file() else ""
    parts = [
        re.search(rf"#define HIP_VERSION_{part}\s+(\d+)", text)
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    return ".".join(found.group(1) for found in parts if found) or "unknown"
