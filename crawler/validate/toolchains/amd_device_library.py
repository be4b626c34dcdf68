"""AMD's device library, completed for offload archs that are newer than the installed one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from crawler import process
from crawler.process import Limits
from crawler.toolchains import discovery

_ARCH: Final = re.compile(r"gfx(\d+)([0-9a-f])([0-9a-f])")
_SOURCE: Final = (
    'target triple = "amdgcn-amd-amdhsa"\n'
    "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {version}, align 4\n"
)


def is_known_arch(arch: str, bitcode: Path) -> bool:
    """Tell whether the device library knows the offload arch."""
    return isa_version_file(bitcode, arch).is_file()


def list_archs(bitcode: Path) -> tuple[str, ...]:
    """Return every offload arch that the device library knows, the oldest first."""
    named = (
        path.stem.rpartition("_")[2] for path in bitcode.glob("oclc_isa_version_*.bc")
    )
    return tuple(
        sorted(
            (f"gfx{name}" for name in named if isa_version(f"gfx{name}")),
            key=isa_version,
        )
    )


def isa_version(arch: str) -> int:
    """Return the number by which the device library knows an offload arch: `gfx942` is 9402; 0
    for no arch.
    """
    found = _ARCH.fullmatch(arch)
    return (
        int(found[1]) * 1000 + int(found[2], 16) * 100 + int(found[3], 16)
        if found
        else 0
    )


def synthesise_library(
    arch: str, bitcode: Path, folder: Path, clang: discovery.Clang
) -> bool:
    """Fill the empty `folder` with links to the device library and the file that it lacks for
    `arch`.
    """
    for path in bitcode.glob("*.bc"):
        (folder / path.name).symlink_to(path)
    target = isa_version_file(folder, arch)
    argv = [
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
    source = _SOURCE.format(version=isa_version(arch)).encode()
    ended = process.run(argv, stdin=source, limits=Limits(seconds=30))
    return ended.exit_code == 0 and target.is_file()


def isa_version_file(folder: Path, arch: str) -> Path:
    """Return where a device library in `folder` says which number the offload arch has."""
    return folder / f"oclc_isa_version_{arch.removeprefix('gfx')}.bc"
