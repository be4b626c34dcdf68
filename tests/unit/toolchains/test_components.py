"""What `kernelset doctor` says of compilers."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.libraries import discovery as libraries
from crawler.libraries.interface import InstalledLibrary
from crawler.toolchains import components, discovery, installed_libclang
from crawler.toolchains.discovery import Clang, Hipcc, Rocm


def describe(monkeypatch: pytest.MonkeyPatch, **tools: object) -> dict[str, str]:
    for module, name in (
        *((discovery, name) for name in ("clang", "rocm", "hipcc", "ptxas", "nvcc")),
        (installed_libclang, "libclang_resource_dir"),
        (installed_libclang, "installed_libclang"),
    ):
        tool = tools.get(name)
        monkeypatch.setattr(module, f"find_{name}", lambda tool=tool: tool)
    installed = tools.get("libraries", {})
    monkeypatch.setattr(libraries, "_find_all", lambda: installed)
    return {part.name: part.found for part in components.list_components()}


def test_nothing_is_found_on_a_bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(describe(monkeypatch).values()) == {""}


def test_paths_and_versions_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    described = describe(
        monkeypatch,
        clang=Clang(path=Path("/c"), version="19.1", resource_dir=Path("/r")),
        rocm=Rocm(bitcode=Path("/b"), include=Path("/i"), version="6.2"),
        hipcc=Hipcc(path=Path("/h"), root=Path("/"), bitcode=Path("/b"), version="6"),
        ptxas=Path("/ptxas"),
        nvcc=Path("/nvcc"),
        libclang_resource_dir=Path("/r"),
        installed_libclang=Path("/l"),
        libraries={
            "rocprim": InstalledLibrary(
                name="rocprim",
                version="2.10.9",
                parts=(("rocprim", Path("/usr/include/rocprim")),),
            )
        },
    )
    assert described == {
        "clang": "/c 19.1",
        "clang headers": "/r",
        "libclang": "/l",
        "ROCm device library": "/b, HIP 6.2 in /i",
        "hipcc": "/h 6",
        "ptxas": "/ptxas",
        "nvcc": "/nvcc",
        "CCCL": "",
        "CUTLASS": "",
        "GLM": "",
        "Eigen": "",
        "Thrust": "",
        "rocPRIM": "2.10.9 in /usr/include (MIT)",
    }


def test_what_must_be_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    describe(monkeypatch)
    needed = {part.name for part in components.list_components() if part.remedy}
    assert needed == {"clang", "clang headers", "ROCm device library"}
