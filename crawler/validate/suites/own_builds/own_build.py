"""Let a project build itself with CMake or make, against stand-in compilers, in the sandbox."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from crawler import sandbox
from crawler.builds.sandbox_paths import CUDA_HOME, ROCM_HOME
from crawler.checkout.source_tree import SourceTree
from crawler.checkout.tree_copies import make_linked_copy
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import make_readable_folder
from crawler.sources.git_client.submodules import read_addresses
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.suites.own_builds.build_plan import make_build_plan
from crawler.validate.suites.own_builds.build_toolkit import (
    list_toolkit_mounts,
    write_build_toolkits,
)
from crawler.validate.suites.own_builds.cmake_texts import (
    describe_hip_compiler,
    relax_cmake_files,
)
from crawler.validate.suites.own_builds.needed_projects import (
    list_needed_mounts,
)
from crawler.validate.suites.own_builds.stand_in_paths import (
    BUILD_MOUNT,
    CHECKOUT_MOUNT,
    GOOGLETEST_MOUNT,
    KERNELS_FILE,
    RESULTS_MOUNT,
    TOOLS_MOUNT,
)

INSIDE: Final = Path(__file__).parent / "inside"
TREE_FILE: Final = "tree.tar"
_TESTS_FILE: Final = "tests.json"
_LOG_FILE: Final = "build.log"
_PLAN_FILE: Final = "plan.json"
_GOOGLETEST: Final = Path("/usr/src/googletest")
_BUILD_SECONDS: Final = 1500
_SPARE_SECONDS: Final = 300
_MAX_TREE_BYTES: Final = 2 << 30
_MAX_RESULT_BYTES: Final = 16 << 20
_MAX_TESTS: Final = 20_000
_MAX_NAME_LENGTH: Final = 2000
_MAX_LOG_BYTES: Final = 64 << 10


class SuiteTest(msgspec.Struct, frozen=True):
    """A test of a project, as a command."""

    __test__ = False

    name: str
    kind: str
    """`ctest`, `googletest`, or `program` for what says by its exit code alone how it ended."""
    command: tuple[str, ...]
    directory: str
    variables: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBuild:
    """What a project's own build has made."""

    results: Path
    """A folder with `tree.tar`, all that the build has left."""
    mounts: tuple[Mount, ...]
    """What it was built with, which its tests may build with, too."""
    kernels: tuple[KernelPlace, ...]
    """By their numbers; paths are relative to the checkout."""
    tests: tuple[SuiteTest, ...]
    log: str
    """Its end."""


def build_project(
    tree: SourceTree,
    scratch: Path,
    *,
    needed: Sequence[SourceTree] = (),
    seconds: int = _BUILD_SECONDS,
) -> OwnBuild:
    """Build a project in the new folder `scratch`, for so many seconds at most by the clock.

    Where it would fetch one of the projects `needed`, it is given that. What goes wrong is in the
    log. Raises `BuildFailed` where there is no compiler, `MissingTool`
    where the sandbox does not work.
    """
    toolkits = write_build_toolkits(make_readable_folder(scratch / "toolkits"))
    results = make_readable_folder(scratch / "results")
    build_folder = make_readable_folder(scratch / "build")
    describe_hip_compiler(build_folder)
    project = make_linked_copy(tree, scratch / "project")
    relax_cmake_files(tree, project)
    _fill_in_googletest(tree, project)
    plan = make_build_plan(tree, seconds, needed)
    mounts = (
        *list_toolkit_mounts(toolkits),
        *_list_library_mounts(),
        *list_needed_mounts(needed),
    )
    (results / _PLAN_FILE).write_text(json.dumps(plan))

    sandbox.run(
        (sys.executable, f"{TOOLS_MOUNT}/build_project.py", RESULTS_MOUNT),
        mounts=(
            *mounts,
            Mount(source=INSIDE, target=TOOLS_MOUNT),
            Mount(source=project, target=CHECKOUT_MOUNT, writable=True, copy_back=()),
            Mount(source=build_folder, target=BUILD_MOUNT, writable=True, copy_back=()),
            Mount(
                source=results,
                target=RESULTS_MOUNT,
                writable=True,
                copy_back=(TREE_FILE, _TESTS_FILE, _LOG_FILE, KERNELS_FILE),
            ),
        ),
        cwd=CHECKOUT_MOUNT,
        env=make_build_variables(),
        limits=_make_limits(seconds),
    )
    return OwnBuild(
        results=results,
        mounts=mounts,
        kernels=tuple(_read_kernels(results / KERNELS_FILE)),
        tests=_read_tests(results / _TESTS_FILE),
        log=_read_result(results / _LOG_FILE)[-_MAX_LOG_BYTES:],
    )


def _make_limits(seconds: int) -> Limits:
    return Limits(
        # listing tests, and packing what was built, takes its time, too
        seconds=seconds + _SPARE_SECONDS,
        cpu_seconds=seconds + _SPARE_SECONDS,
        resident_bytes=12 << 30,
        file_bytes=_MAX_TREE_BYTES,
        scratch_bytes=2 * _MAX_TREE_BYTES,
        processes=512,
    )


def _fill_in_googletest(tree: SourceTree, project: Path) -> None:
    """Put the system's GoogleTest where a project has it as a submodule that was not fetched."""
    if ".gitmodules" not in tree.files or not _GOOGLETEST.is_dir():
        return

    for path, address in read_addresses(tree.read_bytes(".gitmodules")):
        name = address.rpartition("/")[2].removesuffix(".git")
        is_there = any(file.startswith(f"{path}/") for file in tree.files)
        # a path may lead out of the project
        target = (project / path).resolve()
        if name == "googletest" and not is_there and target.is_relative_to(project):
            shutil.copytree(_GOOGLETEST, target, dirs_exist_ok=True)
            # older versions had their headers and sources one level above
            ignored = shutil.ignore_patterns("CMakeLists.txt")
            inner = _GOOGLETEST / "googletest"
            shutil.copytree(inner, target, dirs_exist_ok=True, ignore=ignored)


def make_build_variables() -> dict[str, str]:
    """Return the environment in which a project is built and tested."""
    homes = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_DIR", "CUDAToolkit_ROOT")
    return {
        **dict.fromkeys(homes, CUDA_HOME),
        **dict.fromkeys(("ROCM_PATH", "ROCM_HOME", "HIP_PATH"), ROCM_HOME),
        "HIP_PLATFORM": "amd",
        "PATH": f"{CUDA_HOME}/bin:{ROCM_HOME}/bin:/usr/bin:/bin",
        "LD_LIBRARY_PATH": f"{CUDA_HOME}/lib64",
        "LC_ALL": "C.UTF-8",
        "HOME": "/tmp",  # noqa: S108
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }


def _list_library_mounts() -> tuple[Mount, ...]:
    """Return the sources of libraries that projects would fetch, as far as the system has them."""
    if not _GOOGLETEST.is_dir():
        return ()
    return (Mount(source=_GOOGLETEST, target=GOOGLETEST_MOUNT),)


def _read_kernels(file: Path) -> Iterator[KernelPlace]:
    """Yield the kernels that compilers have numbered, as a build may have changed them."""
    for line in _read_result(file).splitlines():
        try:
            path, number = msgspec.json.decode(line, type=tuple[str, int])
        except (msgspec.MsgspecError, UnicodeError):
            path, number = "", 0
        # one that is not understood keeps its number
        relative = path.removeprefix(f"{CHECKOUT_MOUNT}/")
        yield KernelPlace(path=relative[:_MAX_NAME_LENGTH], line=number)


def _read_tests(file: Path) -> tuple[SuiteTest, ...]:
    try:
        tests = msgspec.json.decode(_read_result(file), type=list[SuiteTest])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ()
    return tuple(tests[:_MAX_TESTS])


def _read_result(file: Path) -> str:
    # a build may have put a link in its place
    if (
        not file.is_file()
        or file.is_symlink()
        or file.stat().st_size > _MAX_RESULT_BYTES
    ):
        return ""
    return file.read_text("utf-8", "replace")
