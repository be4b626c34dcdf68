"""The libraries by which a Python with PyTorch has a CUDA device over the host's memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import cache, headers, process
from crawler.process_limits import Limits
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.programs.host_build.build_failure import (
    COMPILE_ERROR,
    BuildFailed,
)
from crawler.validate.programs.host_build.program_build import (
    build_runtime,
    list_program_flags,
)
from crawler.validate.suites.torch_environment import TorchEnvironment
from crawler.validate.toolchains.precompiled_headers import precompiled_key

SOURCES: Final = headers.ROOT / "cpu" / "kernelset" / "torch"
_HEADERS: Final = headers.ROOT / "torch_build"
_LIBRARY_FLAGS: Final = ("-fPIC", "-DKERNELSET_LIBRARY=1")
_HOST_FLAGS: Final = (
    "-DKERNELSET_PROGRAM=1",
    "-DKERNELSET_PART=1",
    "-DKERNELSET_HOST=1",
)
_NAME: Final = "libkernelset_torch.so"
_LIMITS: Final = Limits(seconds=900)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLibraries:
    """Shared libraries, in the order in which a process loads them."""

    runtime: Path
    """The CUDA runtime, where kernels run."""
    torch: Path
    """PyTorch's CUDA device, and what extensions call of PyTorch's CUDA libraries."""


def list_library_flags(standard: str) -> tuple[str, ...]:
    """Return the flags of sources with kernels that become a shared library."""
    return (*list_program_flags(standard), *_LIBRARY_FLAGS)


def list_host_flags(standard: str) -> tuple[str, ...]:
    """Return the flags of sources without kernels that become a shared library."""
    flags = get_cpu_compile_flags(
        standard=standard,
        lanes=32,
        trace=False,
        contract_floats=False,
        sanitise=False,
        fast_compile=True,
    )
    return (*flags, *_LIBRARY_FLAGS, *_HOST_FLAGS)


def list_torch_flags(environment: TorchEnvironment) -> tuple[str, ...]:
    """Return the flags by which sources find PyTorch's headers, and those that it lacks."""
    return ("-isystem", str(_HEADERS), *environment.system_flags)


def build_device_libraries(
    compiler: Path, environment: TorchEnvironment
) -> DeviceLibraries:
    """Build the libraries for an environment, or return those that were built before.

    Raises `BuildFailed` where they do not compile.
    """
    runtime = build_runtime(
        compiler,
        list_library_flags(environment.standard),
        ("-shared", "-Wl,-soname,libkernelset.so"),
    )
    sources = sorted(SOURCES.glob("*.cpp"))
    flags = (*list_host_flags(environment.standard), *list_torch_flags(environment))
    texts = "".join(path.read_text() for path in sorted(SOURCES.glob("*.*")))
    digest = hashlib.sha256(texts.encode()).hexdigest()
    key = precompiled_key(digest, compiler, (*flags, environment.version))

    def compile_library(folder: Path) -> bool:
        argv = (
            str(compiler),
            *flags,
            "-shared",
            *map(str, sources),
            *list_link_words(environment),
            "-o",
            _NAME,
        )
        completed = process.run(argv, cwd=folder, limits=_LIMITS)
        if completed.exit_code:
            raise BuildFailed(COMPILE_ERROR, completed.text[-2000:])

        return (folder / _NAME).is_file()

    folder = cache.get_or_build(
        f"torch-device-{key}", compile_library, required_file=_NAME
    )
    if folder is None:
        raise BuildFailed(COMPILE_ERROR, "the device library was not written")

    return DeviceLibraries(runtime=runtime, torch=folder / _NAME)


def list_link_words(environment: TorchEnvironment) -> tuple[str, ...]:
    """Return what links a library with PyTorch.

    A function that is nowhere is missed when it is called, and not before.
    """
    folder = environment.library_folder
    libraries = ("-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python")
    return (f"-L{folder}", *libraries, "-Wl,-z,lazy", "-fuse-ld=bfd")
