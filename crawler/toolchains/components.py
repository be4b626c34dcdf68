"""Compilers and libraries that this machine has or lacks, for `kernelset doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler.libraries.discovery import find_installed, list_known
from crawler.libraries.interface import HeaderLibrary
from crawler.toolchains import discovery, installed_libclang

_BOOTSTRAP: Final = "run `deploy/bootstrap`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One thing that this machine has or lacks."""

    name: str
    found: str
    """Path and version; empty where it is missing."""
    needed_for: str
    remedy: str = ""


def list_components() -> tuple[Component, ...]:
    """Return everything that discovery looks for, found or not."""
    return (
        Component(
            name="clang",
            found=_describe_clang(),
            needed_for="compiling kernel units",
            remedy=_BOOTSTRAP,
        ),
        Component(
            name="clang headers",
            found=str(installed_libclang.find_libclang_resource_dir() or ""),
            needed_for="parsing",
            remedy=_BOOTSTRAP,
        ),
        Component(
            name="libclang",
            found=str(installed_libclang.find_installed_libclang() or ""),
            needed_for="parsing by the compiler's own rules; without it, by clang 18's",
        ),
        Component(
            name="ROCm device library",
            found=_describe_rocm(),
            needed_for="compiling for gfx targets",
            remedy=_BOOTSTRAP,
        ),
        Component(
            name="hipcc",
            found=_describe_hipcc(),
            needed_for="builds by AMD's own ROCm instead of clang",
        ),
        Component(
            name="ptxas",
            found=str(discovery.find_ptxas() or ""),
            needed_for="machine code for sm targets, beyond PTX",
        ),
        Component(
            name="nvcc",
            found=str(discovery.find_nvcc() or ""),
            needed_for="machine code for sm targets by --compiler nvcc",
        ),
        *map(_describe_library, list_known()),
    )


def _describe_library(library: HeaderLibrary) -> Component:
    installed = find_installed(library.name)
    place = ""
    if installed is not None:
        _, folder = installed.parts[0]
        place = f"{installed.version} in {folder.parent} ({library.licence})"

    return Component(
        name=library.title,
        found=place,
        needed_for="kernels that use more of it than the bundled headers have",
    )


def _describe_clang() -> str:
    clang = discovery.find_clang()
    return f"{clang.path} {clang.version}" if clang else ""


def _describe_rocm() -> str:
    rocm = discovery.find_rocm()
    if rocm is None:
        return ""
    return f"{rocm.bitcode}, HIP {rocm.version} in {rocm.include}"


def _describe_hipcc() -> str:
    hipcc = discovery.find_hipcc()
    return f"{hipcc.path} {hipcc.version}" if hipcc else ""
