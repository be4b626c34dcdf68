"""Lay out stub compilers for a sandboxed build; they record their calls and compile nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.builds.sandbox_paths import (
    CUDA_HOME,
    RECORD_MOUNT,
    ROCM_HOME,
    SOURCE_MOUNT,
    STUBS_MOUNT,
)
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.builds.stub_toolchain.call_record import RecordedCalls, read_call_record
from crawler.builds.stub_toolchain.script_files import write_program
from crawler.builds.stub_toolchain.stub_programs import (
    HOST_USR,
    Phase,
    find_host_compilers,
    write_stub_programs,
)
from crawler.sandbox import Mount

__all__ = [
    "ROCM_HOME",
    "SOURCE_MOUNT",
    "Phase",
    "StubToolchain",
    "write_stub_toolchain",
]

# fmt: off
_CUDA_PROGRAMS: Final = (
    "nvcc", "nvlink", "ptxas", "fatbinary", "cuobjdump", "nvprune", "bin2c",
    "__nvcc_device_query",
)
_ROCM_PROGRAMS: Final = {
    "bin": (
        "hipcc", "amdclang", "amdclang++", "hipconfig", "rocminfo", "rocm_agent_enumerator",
    ),
    "llvm/bin": (
        "clang", "clang++", "amdclang", "amdclang++", "llvm-ar", "ld.lld",
        "clang-offload-bundler",
    ),
    "hip/bin": ("hipcc", "hipconfig"),
}
_CUDA_RELEASES: Final = (
    "7.5", "8.0", "9.0", "9.1", "9.2", "10.0", "10.1", "10.2", "11", "12", "13", "13.0",
    *(f"{major}.{minor}" for major in (11, 12) for minor in range(10)),
)
# fmt: on
"""Releases that a project may look for as /usr/local/cuda-11.8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubToolchain:
    """What to mount and to set for a run in the sandbox whose compilers are stubs."""

    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    record_folder: Path

    def read_calls(self) -> RecordedCalls:
        """Read the calls of the runs so far; they may be forged, so they are bounded."""
        return read_call_record(self.record_folder)


def write_stub_toolchain(
    folder: Path, phase: Phase, *, root: str = SOURCE_MOUNT
) -> StubToolchain:
    """Write the stubs into the new folder `folder`, for a checkout that is mounted at `root`.

    Files there that are newer than the stubs count as written by the run.
    """
    stubs = folder / "stubs"
    record = folder / "record"
    stubs.mkdir(parents=True)
    record.mkdir(mode=0o777)
    host_compilers = find_host_compilers()
    write_stub_programs(stubs, phase, root, host_compilers)

    mounts = [
        Mount(source=stubs, target=STUBS_MOUNT),
        Mount(source=record, target=RECORD_MOUNT, writable=True, copy_back=("*",)),
        _write_cuda_toolkit(folder, host_compilers),
        _write_rocm_toolkit(folder),
        *_list_usr_mounts(),
        _write_usr_local(folder),
        *_list_compiler_mounts(stubs / "compiler", host_compilers),
    ]

    return StubToolchain(
        mounts=tuple(mounts),
        environment=_make_environment(),
        record_folder=record,
    )


def _make_environment() -> dict[str, str]:
    path = [f"{STUBS_MOUNT}/bin", f"{CUDA_HOME}/bin", f"{ROCM_HOME}/bin"]
    environment = {
        "PATH": ":".join([*path, "/usr/bin", "/bin"]),
        "LC_ALL": "C",
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
    }

    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"):
        environment[name] = CUDA_HOME

    for name in ("ROCM_PATH", "ROCM_HOME", "HIP_PATH"):
        environment[name] = ROCM_HOME

    return environment


def _write_cuda_toolkit(folder: Path, host_compilers: Mapping[str, str]) -> Mount:
    """Write the toolkit with a stub as its nvcc; the toolkit's own nvcc answers probes."""
    mount = cuda_toolkit.write_cuda_toolkit(folder / "toolkit")
    nvcc = mount.source / "bin/nvcc"
    # /usr/bin/g++ is a stub inside
    gxx = host_compilers.get("g++", "/usr/bin/g++")
    # its probes are compiled by the machine's own g++
    script = nvcc.read_text().replace("/usr/bin/g++", gxx)
    write_program(folder / "stubs/absent/nvcc", script)
    nvcc.unlink()
    _link_stubs(mount.source / "bin", _CUDA_PROGRAMS)

    return mount


def _write_rocm_toolkit(folder: Path) -> Mount:
    root = folder / "rocm"
    shutil.copytree(headers.ROOT / "hip", root / "include")
    (root / "lib").mkdir()
    # a linker takes a text for a script
    (root / "lib/libamdhip64.so").write_text("/* an empty linker script */\n")
    (root / ".info").mkdir()
    (root / ".info/version").write_text("6.2.0-66\n")

    for program_folder, names in _ROCM_PROGRAMS.items():
        (root / program_folder).mkdir(parents=True)
        _link_stubs(root / program_folder, names)

    return Mount(source=root, target=ROCM_HOME)


def _link_stubs(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        (folder / name).symlink_to(f"{STUBS_MOUNT}/bin/{name}")


def _list_usr_mounts() -> list[Mount]:
    """Mount the machine's own /usr elsewhere, for compilers that answer probes."""
    mounts = []
    for name in ("bin", "lib", "lib32", "lib64", "libexec", "include"):
        folder = Path("/usr", name)
        if folder.is_dir():
            mounts.append(Mount(source=folder, target=f"{HOST_USR}/{name}"))

    return mounts


def _write_usr_local(folder: Path) -> Mount:
    """Link the toolkit where projects look for it by absolute path: /usr/local/cuda."""
    local = folder / "local"
    local.mkdir()

    for name in ("cuda", *(f"cuda-{release}" for release in _CUDA_RELEASES)):
        (local / name).symlink_to(CUDA_HOME)

    return Mount(source=local, target="/usr/local")


def _list_compiler_mounts(stub: Path, host_compilers: Iterable[str]) -> list[Mount]:
    """Mount the stub over GNU compilers, which projects call by absolute path: /usr/bin/gcc."""
    gnu_compilers = {
        (Path("/usr/bin") / name).resolve()
        for name in host_compilers
        if "clang" not in name
    }

    return [
        Mount(source=stub, target=str(path))
        for path in sorted(gnu_compilers)
        if path.is_relative_to("/usr/bin")
    ]
