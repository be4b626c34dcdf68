"""Lay out stub compilers for a sandboxed build; they record their calls and compile nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.builds.stub_toolchain.call_record import RecordedCalls, read_call_record
from crawler.sandbox import Mount

SOURCE_MOUNT: Final = "/src"
ROCM_HOME: Final = "/opt/rocm"
_STUBS: Final = "/stubs"
_RECORD: Final = "/record"
_HOST: Final = "/host/usr"
_SCRIPTS: Final = Path(__file__).parent / "scripts"
_COMPILER: Final = re.compile(
    r"(?:\w+(?:-\w+){2,3}-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?"
)
_ABSENT: Final = (
    "hipcc",
    "amdclang",
    "amdclang++",
    "clang",
    "clang++",
    "mpicc",
    "mpicxx",
    "mpic++",
    "mpiCC",
)
_BINARIES: Final = (
    *(
        "ar",
        "ranlib",
        "strip",
        "nm",
        "objcopy",
        "objdump",
        "ld",
        "ld.lld",
        "lld",
        "gcc-ar",
        "gcc-ranlib",
        "llvm-ar",
    ),
    *(
        "nvlink",
        "ptxas",
        "fatbinary",
        "cuobjdump",
        "nvdisasm",
        "nvprune",
        "bin2c",
        "clang-offload-bundler",
    ),
)
_DEVICES: Final = (
    *(
        "nvidia-smi",
        "__nvcc_device_query",
        "rocminfo",
        "rocm_agent_enumerator",
        "amdgpu-arch",
        "offload-arch",
    ),
)
_LAUNCHERS: Final = ("ccache", "sccache", "distcc")
_IN_CUDA: Final = (
    "nvcc",
    "nvlink",
    "ptxas",
    "fatbinary",
    "cuobjdump",
    "nvprune",
    "bin2c",
    "__nvcc_device_query",
)
_IN_ROCM: Final = {
    "bin": (
        "hipcc",
        "amdclang",
        "amdclang++",
        "hipconfig",
        "rocminfo",
        "rocm_agent_enumerator",
    ),
    "llvm/bin": (
        "clang",
        "clang++",
        "amdclang",
        "amdclang++",
        "llvm-ar",
        "ld.lld",
        "clang-offload-bundler",
    ),
    "hip/bin": ("hipcc", "hipconfig"),
}
_CUDA_RELEASES: Final = (
    *(
        "7.5",
        "8.0",
        "9.0",
        "9.1",
        "9.2",
        "10.0",
        "10.1",
        "10.2",
        "11",
        "12",
        "13",
        "13.0",
    ),
    *(f"{major}.{minor}" for major in (11, 12) for minor in range(10)),
)


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


_GENERATED: Final = {Phase.CONFIGURE: "asks", Phase.BUILD: "stub", Phase.BOTH: "device"}
"""Whether a source that the run has written asks what the compiler can do: always, never,
unless it is for devices.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubToolchain:
    """A toolchain of stubs: what to mount and to set for a run in the sandbox, and what was
    recorded by then.
    """

    mounts: tuple[Mount, ...]
    environment: Mapping[str, str]
    record_folder: Path

    def read_calls(self) -> RecordedCalls:
        """Read what the runs so far were recorded with; their record may be forged, so it is
        bounded.
        """
        return read_call_record(self.record_folder)


def write_stub_toolchain(
    folder: Path, phase: Phase, *, root: str = SOURCE_MOUNT
) -> StubToolchain:
    """Write the stubs into the new folder `folder`, for a checkout that is mounted at `root`.

    Files there that are newer than the stubs count as made by the run.
    """
    stubs, record = folder / "stubs", folder / "record"
    (stubs / "bin").mkdir(parents=True)
    record.mkdir(mode=0o777)
    real = _real_compilers()
    _write_compiler(stubs, phase, root, real)
    if phase is not Phase.CONFIGURE:
        _write_binaries(stubs, real)
    _link_all(stubs, phase, real)
    mounts = (
        *(
            Mount(source=stubs, target=_STUBS),
            Mount(source=record, target=_RECORD, writable=True, copy_back=("*",)),
        ),
        *(_cuda(folder, real), _rocm(folder)),
        *_absolute(folder, real),
    )
    return StubToolchain(
        mounts=mounts, environment=_environment(), record_folder=record
    )


def _environment() -> dict[str, str]:
    cuda = dict.fromkeys(
        ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"),
        cuda_toolkit.MOUNT_POINT,
    )
    rocm = dict.fromkeys(("ROCM_PATH", "ROCM_HOME", "HIP_PATH"), ROCM_HOME)
    path = f"{_STUBS}/bin:{cuda_toolkit.MOUNT_POINT}/bin:{ROCM_HOME}/bin:/usr/bin:/bin"
    return {
        "PATH": path,
        "LC_ALL": "C",
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        **cuda,
        **rocm,
    }


def _real_compilers() -> dict[str, str]:
    """Map each compiler of this machine to a path inside at which no stub lies."""
    names = sorted(
        path.name
        for path in Path("/usr/bin").iterdir()
        if _COMPILER.fullmatch(path.name)
    )
    return {name: f"{_HOST}/bin/{_without_alternatives(name)}" for name in names}


def _without_alternatives(name: str) -> str:
    """Follow Debian's links out of /usr and back, since inside they would lead to the stub
    again.
    """
    path = Path("/usr/bin") / name
    for _ in range(4):
        if not path.is_symlink() or not (link := path.readlink()).is_absolute():
            break
        path = link
    return path.name if path.is_relative_to("/usr/bin") else name


def _write_compiler(
    stubs: Path, phase: Phase, root: str, real: Mapping[str, str]
) -> None:
    known = {
        **{name: f"{_STUBS}/absent/{name}" for name in _ABSENT},
        **real,
        "nvcc": f"{_STUBS}/absent/nvcc",
    }
    cases = "\n".join(f"  {name}) real={path} ;;" for name, path in known.items())
    settings = {
        "root": root,
        "mark": f"{_STUBS}/compiler",
        "record": _RECORD,
        "path": "/usr/bin:/bin",
        "generated": _GENERATED[phase],
        "links": "asks" if phase is Phase.CONFIGURE else "stub",
    }
    head = "\n".join(f"{name}={value}" for name, value in settings.items())
    _write_program(
        stubs / "compiler",
        f"#!/bin/sh\ntool=${{0##*/}}\n{head}\ncase $tool in\n{cases}\nesac\n",
        "compiler",
    )
    (stubs / "absent").mkdir()
    absent = (_SCRIPTS / "absent.sh").read_text()
    for name in ("gcc", "g++"):
        absent = absent.replace(f"@{name}@", real.get(name, f"/usr/bin/{name}"))
    for name in _ABSENT:
        _write_program(stubs / "absent" / name, absent)


def _write_binaries(stubs: Path, real: Mapping[str, str]) -> None:
    head = "#!/bin/sh\ntool=${0##*/}\nreal=/usr/bin/$tool\npath=/usr/bin:/bin\n"
    _write_program(stubs / "binary", head, "binary")
    prefixes = [
        "",
        *(name.removesuffix("gcc") for name in real if name.endswith("-gcc")),
    ]
    for name in (prefix + name for prefix in prefixes for name in _BINARIES):
        (stubs / "bin" / name).symlink_to("../binary")


def _link_all(stubs: Path, phase: Phase, real: Mapping[str, str]) -> None:
    for script in ("hipconfig", "devices", "launcher"):
        _write_program(stubs / script, (_SCRIPTS / f"{script}.sh").read_text())
    for name in {"nvcc", *_ABSENT, *real}:
        (stubs / "bin" / name).symlink_to("../compiler")
    for name in _DEVICES:
        (stubs / "bin" / name).symlink_to("../devices")
    for name in _LAUNCHERS:
        (stubs / "bin" / name).symlink_to("../launcher")
    (stubs / "bin/hipconfig").symlink_to("../hipconfig")


def _write_program(path: Path, head: str, script: str = "") -> None:
    path.write_text(head + ((_SCRIPTS / f"{script}.sh").read_text() if script else ""))
    path.chmod(0o755)


def _cuda(folder: Path, real: Mapping[str, str]) -> Mount:
    """Lay out the toolkit with a stub as its nvcc; its own answers probes."""
    mount = cuda_toolkit.write_cuda_toolkit(folder / "toolkit")
    program = mount.source / "bin/nvcc"
    compiler = real.get("g++", "/usr/bin/g++")
    _write_program(
        folder / "stubs/absent/nvcc",
        program.read_text().replace("/usr/bin/g++", compiler),
    )
    program.unlink()
    _link(mount.source / "bin", _IN_CUDA)
    return mount


def _rocm(folder: Path) -> Mount:
    root = folder / "rocm"
    shutil.copytree(headers.ROOT / "hip", root / "include")
    (root / "lib").mkdir()
    (root / "lib/libamdhip64.so").write_text("/* an empty linker script */\n")
    (root / ".info").mkdir()
    (root / ".info/version").write_text("6.2.0-66\n")
    for place, names in _IN_ROCM.items():
        (root / place).mkdir(parents=True)
        _link(root / place, names)
    return Mount(source=root, target=ROCM_HOME)


def _link(place: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (place / name).symlink_to(f"{_STUBS}/bin/{name}")


def _absolute(folder: Path, real: Mapping[str, str]) -> list[Mount]:
    """Mount stubs where projects look by absolute path: /usr/bin/gcc and kin, and
    /usr/local/cuda.
    """
    local = folder / "local"
    local.mkdir()
    for name in ("cuda", *(f"cuda-{release}" for release in _CUDA_RELEASES)):
        (local / name).symlink_to(cuda_toolkit.MOUNT_POINT)
    mounts = [
        Mount(source=Path("/usr") / name, target=f"{_HOST}/{name}")
        for name in _usr_folders()
    ]
    mounts.append(Mount(source=local, target="/usr/local"))
    gnu = {(Path("/usr/bin") / name).resolve() for name in real if "clang" not in name}
    stub = folder / "stubs/compiler"
    mounts += [
        Mount(source=stub, target=str(path))
        for path in sorted(gnu)
        if path.is_relative_to("/usr/bin")
    ]
    return mounts


def _usr_folders() -> list[str]:
    return [
        name
        for name in ("bin", "lib", "lib32", "lib64", "libexec", "include")
        if Path("/usr", name).is_dir()
    ]
