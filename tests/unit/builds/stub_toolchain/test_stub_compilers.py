from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.stub_toolchain import stub_programs
from crawler.builds.stub_toolchain.stub_compilers import (
    StubToolchain,
    write_stub_toolchain,
)
from crawler.builds.stub_toolchain.stub_programs import (
    Phase,
    find_host_compilers,
    write_stub_programs,
)

HOST_COMPILERS = {
    "g++": "/host/usr/bin/g++",
    "aarch64-linux-gnu-gcc": "/host/usr/bin/aarch64-linux-gnu-gcc",
}


@pytest.fixture
def toolchain(tmp_path: Path) -> StubToolchain:
    return write_stub_toolchain(tmp_path / "stubs", Phase.BUILD)


def write_programs(folder: Path, phase: Phase) -> Path:
    write_stub_programs(folder, phase, "/src", HOST_COMPILERS)
    return folder


def test_a_run_finds_stubs_before_the_toolkits_and_the_machine(
    toolchain: StubToolchain,
) -> None:
    folders = toolchain.environment["PATH"].split(":")
    assert folders[0] == "/stubs/bin"
    assert folders[1:3] == ["/opt/cuda/bin", "/opt/rocm/bin"]
    assert toolchain.environment["CUDA_HOME"] == "/opt/cuda"
    assert toolchain.environment["ROCM_PATH"] == "/opt/rocm"


def test_only_the_record_can_be_written(toolchain: StubToolchain) -> None:
    writable = [mount.target for mount in toolchain.mounts if mount.writable]
    assert writable == ["/record"]


def test_no_place_is_mounted_twice(toolchain: StubToolchain) -> None:
    targets = [mount.target for mount in toolchain.mounts]
    assert len(set(targets)) == len(targets)
    assert {"/stubs", "/record", "/opt/cuda", "/opt/rocm", "/usr/local"} <= {*targets}


def test_a_new_toolchain_has_recorded_nothing(toolchain: StubToolchain) -> None:
    recorded = toolchain.read_calls()
    assert (recorded.entries, recorded.call_count) == ((), 0)


def test_releases_of_cuda_are_found_by_absolute_path(toolchain: StubToolchain) -> None:
    (local,) = [mount for mount in toolchain.mounts if mount.target == "/usr/local"]
    for name in ("cuda", "cuda-11.8", "cuda-12", "cuda-13.0"):
        assert str((local.source / name).readlink()) == "/opt/cuda"


def test_programs_of_a_toolkit_are_stubs(toolchain: StubToolchain) -> None:
    (cuda,) = [mount for mount in toolchain.mounts if mount.target == "/opt/cuda"]
    assert str((cuda.source / "bin/nvcc").readlink()) == "/stubs/bin/nvcc"
    (rocm,) = [mount for mount in toolchain.mounts if mount.target == "/opt/rocm"]
    assert str((rocm.source / "llvm/bin/clang++").readlink()) == "/stubs/bin/clang++"


@pytest.mark.parametrize("name", ["nvcc", "hipcc", "mpicxx", "g++"])
def test_every_compiler_is_the_same_stub(tmp_path: Path, name: str) -> None:
    folder = write_programs(tmp_path / "stubs", Phase.BUILD)
    assert (folder / "bin" / name).resolve() == folder / "compiler"


def test_the_stub_knows_the_real_compilers(tmp_path: Path) -> None:
    script = (write_programs(tmp_path / "stubs", Phase.BUILD) / "compiler").read_text()
    assert script.startswith("#!/bin/sh\ntool=${0##*/}\nroot=/src\n")
    assert "\n  g++) real=/host/usr/bin/g++ ;;\n" in script
    assert "\n  nvcc) real=/stubs/absent/nvcc ;;\n" in script


@pytest.mark.parametrize(
    ("phase", "generated", "links"),
    [
        (Phase.CONFIGURE, "asks", "asks"),
        (Phase.BUILD, "stub", "stub"),
        (Phase.BOTH, "device", "stub"),
    ],
)
def test_a_phase_says_which_sources_are_probes(
    tmp_path: Path, phase: Phase, generated: str, links: str
) -> None:
    script = (write_programs(tmp_path / "stubs", phase) / "compiler").read_text()
    assert f"\ngenerated={generated}\n" in script
    assert f"\nlinks={links}\n" in script


def test_tools_that_read_objects_are_stubs_while_building_alone(
    tmp_path: Path,
) -> None:
    building = write_programs(tmp_path / "building", Phase.BUILD)
    assert (building / "bin/ar").resolve() == building / "binary"
    cross_tool = building / "bin/aarch64-linux-gnu-ar"
    assert cross_tool.resolve() == building / "binary"
    configuring = write_programs(tmp_path / "configuring", Phase.CONFIGURE)
    assert not (configuring / "bin/ar").exists()


def test_compilers_that_the_machine_lacks_use_its_gcc_for_probes(
    tmp_path: Path,
) -> None:
    folder = write_programs(tmp_path / "stubs", Phase.BUILD)
    script = (folder / "absent/hipcc").read_text()
    assert "compiler=/host/usr/bin/g++" in script
    assert "compiler=/usr/bin/gcc" in script


def test_host_compilers_are_called_where_no_stub_lies() -> None:
    for name, path in find_host_compilers().items():
        assert stub_programs._HOST_COMPILER.fullmatch(name)
        assert path.startswith("/host/usr/bin/")
