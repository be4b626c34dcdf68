"""Flags that compilers get."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from crawler.headers import ROOT
from crawler.model import Dialect
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import (
    get_compile_flags,
    get_dialect_defines,
    get_editor_flags,
    get_parse_flags,
    get_parse_prelude,
)
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.toolchains.discovery import Rocm
from crawler.toolchains.hip_flags import get_hip_compile_flags
from crawler.toolchains.nvcc_flags import get_nvcc_compile_flags

OVERLAY = Path("/overlay.json")


def include_folders(flags: Sequence[str], option: str = "-isystem") -> list[str]:
    pairs = pairwise(flags)
    return [folder for word, folder in pairs if word == option]


def test_every_folder_that_flags_name_is_there() -> None:
    folders = include_folders(get_parse_flags(OVERLAY))
    folders += include_folders(get_compile_flags(Dialect.CUDA, "sm_80"))
    assert folders
    assert all(Path(folder).is_dir() for folder in folders)


@pytest.mark.parametrize("with_torch", [True, False])
@pytest.mark.parametrize("with_standard_library", [True, False])
def test_every_prelude_is_there(with_torch: bool, with_standard_library: bool) -> None:
    prelude = get_parse_prelude(
        with_torch=with_torch, with_standard_library=with_standard_library
    )
    assert prelude.is_file()
    assert ("torch" in prelude.name) is with_torch


def test_device_code_shows_only_where_it_is_asked_for() -> None:
    plain = get_parse_flags(OVERLAY)
    assert not [flag for flag in plain if "__CUDA_ARCH__" in flag]
    cuda = get_parse_flags(OVERLAY, device_dialect=Dialect.CUDA)
    assert "-D__CUDA_ARCH__=800" in cuda
    hip = get_parse_flags(OVERLAY, device_dialect=Dialect.HIP)
    assert "-D__HIP_DEVICE_COMPILE__=1" in hip
    assert "-D__CUDA_ARCH__=800" not in hip


def test_the_standard_is_that_of_the_project() -> None:
    assert "-std=c++20" in get_parse_flags(OVERLAY, standard="c++20")
    assert "-std=c++20" in get_compile_flags(Dialect.CUDA, "sm_80", "c++20")
    assert "-std=c++20" in get_nvcc_compile_flags("sm_80", "c++20")
    assert "-std=gnu++20" in get_hip_compile_flags("gfx90a", "c++20")


def test_only_hip_defines_what_its_compilers_define() -> None:
    assert "-D__HIP_PLATFORM_AMD__=1" in get_dialect_defines(Dialect.HIP)
    assert get_dialect_defines(Dialect.CUDA) == get_dialect_defines(None) == ()


def test_editors_parse_the_same_tree_by_their_own_standard() -> None:
    editor, parse = get_editor_flags(OVERLAY), get_parse_flags(OVERLAY)
    assert include_folders(editor) == include_folders(parse)
    assert not [flag for flag in editor if flag.startswith("-std=")]


@pytest.mark.parametrize(
    ("include", "is_named"),
    [("/opt/rocm/include", True), ("/usr/include", False)],
)
def test_headers_of_an_installed_rocm_follow_ours(
    monkeypatch: pytest.MonkeyPatch, include: str, is_named: bool
) -> None:
    rocm = Rocm(bitcode=Path("/bitcode"), include=Path(include), version="6")
    monkeypatch.setattr(discovery, "find_rocm", lambda: rocm)
    flags = get_hip_compile_flags("gfx90a")
    assert (f"-isystem{include}" in flags) is is_named
    assert flags[-1] == "--rocm-device-lib-path=/bitcode"
    assert flags.index(f"-I{ROOT / 'hip'}") < len(flags) - 1
    vendor = get_hip_compile_flags("gfx90a", is_vendor_compiler=True)
    assert "--rocm-device-lib-path=/bitcode" not in vendor


def test_without_rocm_the_flags_name_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "find_rocm", lambda: None)
    assert get_hip_compile_flags("gfx90a") == get_hip_compile_flags(
        "gfx90a", is_vendor_compiler=True
    )


def test_nvcc_looks_into_our_common_headers_last() -> None:
    flags = get_nvcc_compile_flags("sm_90")
    assert flags[-2:] == ("-Xcompiler", f"-idirafter,{ROOT / 'common'}")
    assert "-arch=sm_90" in flags


def cpu_flags(standard: str = "c++17", *options: str) -> tuple[str, ...]:
    return get_cpu_compile_flags(
        standard=standard,
        lanes=32,
        trace="trace" in options,
        contract_floats="contract_floats" in options,
        count_branches="count_branches" in options,
        sanitise="sanitise" in options,
        fast_compile="fast_compile" in options,
    )


@pytest.mark.parametrize(
    ("standard", "expected"),
    [("c++11", "-std=gnu++17"), ("c++17", "-std=gnu++17"), ("c++20", "-std=gnu++20")],
)
def test_a_unit_for_the_cpu_needs_at_least_cpp17(standard: str, expected: str) -> None:
    assert expected in cpu_flags(standard)


@pytest.mark.parametrize(
    ("option", "define"),
    [
        ("trace", "-DKERNELSET_TRACE=1"),
        ("count_branches", "-DKERNELSET_COUNT=1"),
        ("sanitise", "-DKERNELSET_SANITISE=1"),
        ("fast_compile", "-O1"),
        ("contract_floats", "-ffp-contract=fast"),
    ],
)
def test_an_option_adds_its_flags_and_no_others(option: str, define: str) -> None:
    assert define not in cpu_flags()
    assert define in cpu_flags("c++17", option)
    assert "-DKERNELSET_WARP=32" in cpu_flags("c++17", option)


@pytest.mark.parametrize(
    "flags",
    [
        get_parse_flags(OVERLAY),
        get_compile_flags(Dialect.CUDA, "sm_80"),
        get_hip_compile_flags("gfx90a"),
        cpu_flags(),
    ],
)
def test_a_name_behind_a_string_is_a_word_of_its_own(flags: tuple[str, ...]) -> None:
    assert "-Wno-reserved-user-defined-literal" in flags
