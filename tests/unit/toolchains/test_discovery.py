from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.toolchains import components, discovery, installed_libclang

CACHED = (
    discovery.find_clang,
    discovery.find_rocm,
    installed_libclang.find_libclang_resource_dir,
    discovery.find_ptxas,
    discovery.find_nvcc,
    discovery.read_tool_versions,
    discovery.toolchain_digest,
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    for search in CACHED:
        search.cache_clear()
    yield
    for search in CACHED:
        search.cache_clear()


def _compiler(folder: Path, name: str, version: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "Debian clang version {version}" || echo /lib/clang/{version}\n'
    )
    path.chmod(0o755)


def test_the_newest_clang_on_the_path_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compiler(tmp_path, "clang++-18", "18.1.8")
    _compiler(tmp_path, "clang++-20", "20.1.2")
    _compiler(tmp_path, "clang++", "14.0.6")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    clang = discovery.find_clang()
    assert clang is not None
    assert (clang.path.name, clang.version, clang.resource_dir) == (
        "clang++-20",
        "20.1.2",
        Path("/lib/clang/20.1.2"),
    )


def test_a_clang_that_is_too_old_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compiler(tmp_path, "clang++", "14.0.6")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert discovery.find_clang() is None


def test_the_digest_changes_with_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    without = discovery.toolchain_digest()
    _compiler(tmp_path, "clang++-19", "19.1.7")
    for search in CACHED:
        search.cache_clear()
    assert discovery.toolchain_digest() != without


def test_what_is_missing_is_described_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    compiler = {part.name: part for part in components.list_components()}["clang"]
    assert compiler.found == ""
    assert "deploy/bootstrap" in compiler.remedy


@pytest.mark.apt
def test_this_machine_can_parse_and_compile() -> None:
    if shutil.which("clang++-19") is None:
        pytest.skip("clang is not installed: run `deploy/bootstrap`")
    compiler, resources, amd = (
        discovery.find_clang(),
        installed_libclang.find_libclang_resource_dir(),
        discovery.find_rocm(),
    )
    assert compiler is not None
    assert resources is not None
    assert amd is not None
    assert (compiler.resource_dir / "include/stddef.h").is_file()
    assert (resources / "include/__clang_cuda_builtin_vars.h").is_file()
    assert (amd.include / "hip/hip_runtime.h").is_file()
    assert {part.name for part in components.list_components() if part.found} >= {
        "clang",
        "clang headers",
    }


def test_versions_are_what_the_programs_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, output in {
        "nvcc": "Cuda compilation tools, release 12.1, V12.1.105",
        "hipconfig": "6.2.41133-dd7f95766",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{output}'\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    versions = discovery.read_tool_versions()
    assert (versions["cuda"], versions["rocm"]) == ("12.1", "6.2.41133")
    assert versions["python"].startswith("3.")
