"""One configure run of CMake in the sandbox: its flags, mounts and cache variables."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.cmake import compiler_seed
from crawler.builds.cmake.cmake_facts import read_cmake_facts
from crawler.builds.commands import arch_flags
from crawler.builds.sandbox_paths import SOURCE_MOUNT
from crawler.builds.stub_toolchain import cuda_toolkit, rocm_toolkit
from crawler.checkout.source_tree import SourceTree
from crawler.model import Dialect
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount

BUILD_MOUNT: Final = "/build"
_MODULES_MOUNT: Final = "/opt/kernelset"
_FACTS_MOUNT: Final = "/opt/kernelset-tree.cmake"
CONFIGURE_FLAGS: Final = (
    "-G",
    "Ninja",
    "--no-warn-unused-cli",
    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    "-DCMAKE_BUILD_TYPE=Release",
    f"-DCMAKE_CUDA_ARCHITECTURES={arch_flags.ASSUMED_CUDA_ARCH}",
    f"-DCMAKE_HIP_ARCHITECTURES={arch_flags.ASSUMED_HIP_ARCH}",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
    "-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON",
    "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
    "-DCMAKE_UNITY_BUILD=OFF",
    f"-DCMAKE_CUDA_COMPILER={cuda_toolkit.MOUNT_POINT}/bin/nvcc",
    f"-DCUDAToolkit_ROOT={cuda_toolkit.MOUNT_POINT}",
    f"-DCUDA_TOOLKIT_ROOT_DIR={cuda_toolkit.MOUNT_POINT}",
    f"-DCMAKE_HIP_COMPILER={rocm_toolkit.COMPILER}",
    f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={rocm_toolkit.MOUNT_POINT}",
    f"-DCMAKE_PREFIX_PATH={cuda_toolkit.MOUNT_POINT};{rocm_toolkit.MOUNT_POINT}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A dialect to configure for, and the cache variables that ask for it."""

    dialect: Dialect
    variables: Mapping[str, str]
    has_stand_ins: bool = True
    """Whether packages that are not installed get a stand-in."""

    def make_arguments(self) -> list[str]:
        """Return the cache variables as words of the command line."""
        return [f"-D{name}={value}" for name, value in self.variables.items()]


def write_toolkits(scratch: Path) -> tuple[Mount, ...]:
    """Lay out the stub toolkits in `scratch`, and return them with our CMake modules."""
    modules = Path(__file__).with_name("modules")

    return (
        cuda_toolkit.write_cuda_toolkit(scratch / "cuda"),
        rocm_toolkit.write_rocm_toolkit(scratch / "rocm"),
        Mount(
            source=modules,
            target=_MODULES_MOUNT,
        ),
    )


def write_tree_facts(tree: SourceTree, path: Path) -> Mount:
    """Write what the CMake files of the tree name, as a script that our modules include."""
    facts = read_cmake_facts(tree)
    lists = {
        "OWN": sorted(facts.defined_commands),
        "UNKNOWN": facts.undefined_commands,
        "TARGETS": facts.imported_targets,
    }

    lines = [
        f"set(KERNELSET_{name} {' '.join(words)})" for name, words in lists.items()
    ]
    # So that find_package(CUDAToolkit 12) is content with the stub toolkit.
    lines.append(f"set(KERNELSET_CUDA_RELEASE {cuda_toolkit.RELEASE})")
    lines.append(f"set(KERNELSET_ROCM_RELEASE {rocm_toolkit.RELEASE})")

    path.write_text("\n".join(lines) + "\n")

    return Mount(
        source=path,
        target=_FACTS_MOUNT,
    )


def run_configure(
    folder: str,
    configuration: Configuration,
    mounts: tuple[Mount, ...],
    seconds: float,
) -> CompletedProcess:
    """Configure `folder` of the checkout in the sandbox."""
    argv = [
        "cmake",
        "-S",
        posixpath.normpath(f"{SOURCE_MOUNT}/{folder}"),
        "-B",
        BUILD_MOUNT,
        *CONFIGURE_FLAGS,
        *configuration.make_arguments(),
        "-DCMAKE_PLATFORM_INFO_INITIALIZED=1",
    ]

    if configuration.has_stand_ins:
        argv.extend(_make_stand_in_arguments(configuration.dialect))

    return sandbox.run(
        tuple(argv),
        mounts=mounts,
        cwd=BUILD_MOUNT,
        env=compiler_seed.get_configure_environment(),
        limits=Limits(
            seconds=seconds,
            cpu_seconds=60,
            file_bytes=256 << 20,
        ),
    )


def _make_stand_in_arguments(dialect: Dialect) -> tuple[str, ...]:
    return (
        f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={_MODULES_MOUNT}/begin.cmake",
        f"-DCMAKE_PROJECT_INCLUDE={_MODULES_MOUNT}/languages.cmake",
        f"-DKERNELSET_TREE={_FACTS_MOUNT}",
        f"-DKERNELSET_DIALECT={dialect}",
        f"-DKERNELSET_LANGUAGE={dialect.upper()}",
    )
