"""AMD's device library, completed for offload archs that are newer than the installed one."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import process
from crawler.process_limits import Limits
from crawler.toolchains import discovery

# an offload arch
_ARCH: Final = re.compile(r"gfx(\d+)([0-9a-f])([0-9a-f])")
_ISA_VERSION_SOURCE: Final = (
    'target triple = "amdgcn-amd-amdhsa"\n'
    "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) "
    "constant i32 {version}, align 4\n"
)


def find_device_library(arch: str) -> Path | None:
    """Return a folder with AMD's device library for `arch`, made where the installed one is
    older than it.
    """
    rocm = discovery.find_rocm()
    clang = discovery.find_clang()
    if rocm is None or clang is None or not isa_version(arch):
        return None
    if is_known_arch(arch, rocm.bitcode):
        return rocm.bitcode

    bitcode, compiler = rocm.bitcode, clang
    key = hashlib.sha256(f"{arch} {rocm} {clang.version}".encode()).hexdigest()

    return folders.get_or_build(
        f"isa-{key}",
        lambda folder: synthesise_library(arch, bitcode, folder, compiler),
        required_file=isa_version_file(Path(), arch).name,
    )


def is_known_arch(arch: str, bitcode: Path) -> bool:
    """Tell whether the device library knows the offload arch."""
    return isa_version_file(bitcode, arch).is_file()


def list_archs(bitcode: Path) -> tuple[str, ...]:
    """Return every offload arch that the device library knows, the oldest first."""
    archs = []
    for path in bitcode.glob("oclc_isa_version_*.bc"):
        suffix = path.stem.rpartition("_")[2]
        archs.append(f"gfx{suffix}")

    return tuple(sorted(filter(isa_version, archs), key=isa_version))


def isa_version(arch: str) -> int:
    """Return the number by which the device library knows an offload arch: `gfx942` is 9402; 0
    for no arch.
    """
    parts = _ARCH.fullmatch(arch)
    if parts is None:
        return 0

    major, minor, stepping = parts.groups()
    return int(major) * 1000 + int(minor, 16) * 100 + int(stepping, 16)


def synthesise_library(
    arch: str, bitcode: Path, folder: Path, clang: discovery.Clang
) -> bool:
    """Fill the empty `folder` with links to the device library and the file that it lacks for
    `arch`.
    """
    for path in bitcode.glob("*.bc"):
        (folder / path.name).symlink_to(path)

    target = isa_version_file(folder, arch)
    command = [
        str(clang.path),
        "-x",
        "ir",
        "-c",
        "-emit-llvm",
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-o",
        str(target),
        "-",
    ]

    source = _ISA_VERSION_SOURCE.format(version=isa_version(arch)).encode()
    compiler = process.run(command, stdin=source, limits=Limits(seconds=30))

    return compiler.exit_code == 0 and target.is_file()


def isa_version_file(folder: Path, arch: str) -> Path:
    """Return where a device library in `folder` says which number the offload arch has."""
    return folder / f"oclc_isa_version_{arch.removeprefix('gfx')}.bc"
