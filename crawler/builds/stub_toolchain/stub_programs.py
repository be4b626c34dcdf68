"""Write stub compilers and tools into one folder of programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from crawler.builds.sandbox_paths import RECORD_MOUNT, STUBS_MOUNT
from crawler.builds.stub_toolchain.script_files import read_script, write_program

HOST_USR: Final = "/host/usr"
"""Where a run sees the machine's own /usr, none of whose programs is a stub."""
# programs of this machine by their names: `x86_64-linux-gnu-g++-12`
_HOST_COMPILER: Final = re.compile(
    r"(?:\w+(?:-\w+){2,3}-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?"
)
_MAX_LINKS: Final = 4
# fmt: off
_EMULATED_COMPILERS: Final = (
    "hipcc", "amdclang", "amdclang++", "clang", "clang++", "mpicc", "mpicxx", "mpic++", "mpiCC",
)
"""Compilers that a script answers for where the machine does not have them."""
_BINARY_TOOLS: Final = (
    "ar", "ranlib", "strip", "nm", "objcopy", "objdump", "ld", "ld.lld", "lld", "gcc-ar",
    "gcc-ranlib", "llvm-ar", "nvlink", "ptxas", "fatbinary", "cuobjdump", "nvdisasm", "nvprune",
    "bin2c", "clang-offload-bundler",
)
"""Tools that would read the objects which stub compilers leave empty."""
_DEVICE_QUERIES: Final = (
    "nvidia-smi", "__nvcc_device_query", "rocminfo", "rocm_agent_enumerator", "amdgpu-arch",
    "offload-arch",
)
# fmt: on
_CACHE_LAUNCHERS: Final = ("ccache", "sccache", "distcc")


class Phase(StrEnum):
    """What a run may ask of compilers besides having its own sources compiled."""

    CONFIGURE = "configure"
    """Whatever the run itself has written is a probe, and is compiled for real."""
    BUILD = "build"
    """Nothing is compiled for real but what is named like a probe or lies outside the checkout."""
    BOTH = "both"
    """One run configures and builds: what it has written itself is compiled, but not for
    devices; nor is our own.
    """


_GENERATED_SOURCES: Final = {
    Phase.CONFIGURE: "asks",
    Phase.BUILD: "stub",
    Phase.BOTH: "device",
}
"""Whether a source that the run has written asks what the compiler can do: always, never,
unless it is for devices.
"""


def find_host_compilers() -> dict[str, str]:
    """Map each compiler of this machine to a path inside at which no stub lies."""
    names = sorted(
        path.name
        for path in Path("/usr/bin").iterdir()
        if _HOST_COMPILER.fullmatch(path.name)
    )

    return {name: f"{HOST_USR}/bin/{_resolve_alternatives(name)}" for name in names}


def write_stub_programs(
    folder: Path, phase: Phase, root: str, host_compilers: Mapping[str, str]
) -> None:
    """Write the stubs into the new folder `folder`, with links to them in its `bin`.

    `root` is where the run sees the checkout, whose sources are not compiled.
    """
    (folder / "bin").mkdir(parents=True)
    _write_compiler(folder, phase, root, host_compilers)
    _write_emulated_compilers(folder / "absent", host_compilers)

    if phase is not Phase.CONFIGURE:
        _write_binary_tools(folder, host_compilers)

    for script in ("hipconfig", "devices", "launcher"):
        write_program(folder / script, read_script(script))

    compilers = {"nvcc", *_EMULATED_COMPILERS, *host_compilers}
    _link_programs(folder, "compiler", compilers)
    _link_programs(folder, "devices", _DEVICE_QUERIES)
    _link_programs(folder, "launcher", _CACHE_LAUNCHERS)
    _link_programs(folder, "hipconfig", ("hipconfig",))


def _resolve_alternatives(name: str) -> str:
    """Follow the links of Debian's alternatives: c++ → /etc/alternatives/c++ → /usr/bin/g++.

    Inside, a link that leads out of /usr and back would lead to the stub again.
    """
    # g++ → g++-12 is a relative link, which stays in the folder
    path = Path("/usr/bin") / name
    for _ in range(_MAX_LINKS):
        if not path.is_symlink():
            break

        link = path.readlink()
        if not link.is_absolute():
            break

        path = link

    return path.name if path.is_relative_to("/usr/bin") else name


def _write_compiler(
    folder: Path, phase: Phase, root: str, host_compilers: Mapping[str, str]
) -> None:
    """Write the stub that stands for every compiler, and calls the real one for probes."""
    real_compilers = {
        name: f"{STUBS_MOUNT}/absent/{name}" for name in _EMULATED_COMPILERS
    }
    real_compilers |= host_compilers
    real_compilers["nvcc"] = f"{STUBS_MOUNT}/absent/nvcc"
    settings = {
        "root": root,
        "mark": f"{STUBS_MOUNT}/compiler",
        "record": RECORD_MOUNT,
        "path": "/usr/bin:/bin",
        "generated": _GENERATED_SOURCES[phase],
        "links": "asks" if phase is Phase.CONFIGURE else "stub",
    }

    lines = ["#!/bin/sh", "tool=${0##*/}"]
    for setting, value in settings.items():
        lines.append(f"{setting}={value}")

    # the stub is called by many names
    lines.append("case $tool in")

    for name, path in real_compilers.items():
        lines.append(f"  {name}) real={path} ;;")

    lines.append("esac")

    script = read_script("compiler")
    write_program(folder / "compiler", "\n".join([*lines, script]))


def _write_emulated_compilers(folder: Path, host_compilers: Mapping[str, str]) -> None:
    folder.mkdir()
    gnu_compilers = {
        name: host_compilers.get(name, f"/usr/bin/{name}") for name in ("gcc", "g++")
    }
    script = read_script("absent", **gnu_compilers)

    for name in _EMULATED_COMPILERS:
        write_program(folder / name, script)


def _write_binary_tools(folder: Path, host_compilers: Mapping[str, str]) -> None:
    head = "#!/bin/sh\ntool=${0##*/}\nreal=/usr/bin/$tool\npath=/usr/bin:/bin\n"
    write_program(folder / "binary", head + read_script("binary"))
    _link_programs(folder, "binary", _BINARY_TOOLS)

    # those of a cross compiler, too: aarch64-linux-gnu-ar beside aarch64-linux-gnu-gcc
    for compiler in host_compilers:
        if compiler.endswith("-gcc"):
            prefix = compiler.removesuffix("gcc")
            names = [prefix + name for name in _BINARY_TOOLS]
            _link_programs(folder, "binary", names)


def _link_programs(folder: Path, program: str, names: Iterable[str]) -> None:
    for name in names:
        (folder / "bin" / name).symlink_to(f"../{program}")
