from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.builds.stub_toolchain.script_files import read_script, write_program


def run(program: Path, *arguments: str) -> str:
    result = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=True
    )
    return result.stdout


def test_placeholders_of_a_script_are_filled_in() -> None:
    script = read_script("rocm_hipconfig", home="/opt/x", release="1.2.3")
    assert "printf /opt/x ;;" in script
    assert "printf 1.2.3 ;;" in script
    assert "@" not in script


def test_a_program_can_be_run(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    write_program(program, '#!/bin/sh\necho "$1"\n')
    assert run(program, "two words") == "two words\n"


def test_the_cuda_toolkit_has_what_configure_runs_look_for(tmp_path: Path) -> None:
    mount = cuda_toolkit.write_cuda_toolkit(tmp_path)
    assert (mount.source, mount.target) == (tmp_path, cuda_toolkit.MOUNT_POINT)
    for name in (
        "include/cuda_runtime.h",
        "include/cublas_v2.h",
        "lib64/libcudart.so",
        "lib64/stubs/libcuda.so",
        "lib/libcudart_static.a",
        "nvvm/libdevice",
        "bin/nvcc",
    ):
        assert (tmp_path / name).exists(), name


def test_its_nvcc_says_its_release(tmp_path: Path) -> None:
    cuda_toolkit.write_cuda_toolkit(tmp_path)
    release = cuda_toolkit.RELEASE
    assert f"release {release}, V{release}." in run(tmp_path / "bin/nvcc", "--version")


def test_no_placeholder_is_left_in_a_script(tmp_path: Path) -> None:
    cuda_toolkit.write_cuda_toolkit(tmp_path / "cuda")
    rocm_toolkit.write_rocm_toolkit(tmp_path / "rocm")
    for program in ("cuda/bin/nvcc", "rocm/bin/hipcc", "rocm/bin/hipconfig"):
        text = (tmp_path / program).read_text()
        assert "@home@" not in text
        assert "@release@" not in text
        assert os.access(tmp_path / program, os.X_OK)


def test_the_rocm_installation_has_packages_for_cmake(tmp_path: Path) -> None:
    mount = rocm_toolkit.write_rocm_toolkit(tmp_path)
    assert mount.target == rocm_toolkit.MOUNT_POINT
    config = (tmp_path / "lib/cmake/hip/hip-config.cmake").read_text()
    assert f"set(hip_INCLUDE_DIRS {mount.target}/include)" in config
    assert '"$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>")' in config
    assert (tmp_path / "llvm/bin/amdclang++").resolve().name == "clang++"
    assert (tmp_path / ".info/version").read_text() == f"{rocm_toolkit.RELEASE}-1\n"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--platform", "amd"),
        ("--compiler", "clang"),
        ("--path", rocm_toolkit.MOUNT_POINT),
        ("--version", rocm_toolkit.RELEASE),
    ],
)
def test_its_hipconfig_answers(tmp_path: Path, argument: str, expected: str) -> None:
    rocm_toolkit.write_rocm_toolkit(tmp_path)
    assert run(tmp_path / "bin/hipconfig", argument) == expected
