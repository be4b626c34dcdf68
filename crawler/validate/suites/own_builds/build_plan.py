"""Plan how a project is built, by CMake, Meson or make, and how its tests are listed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Final

from crawler.builds.commands import arch_flags
from crawler.builds.meson.meson_projects import (
    choose_device_options,
    find_meson_projects,
)
from crawler.builds.sandbox_paths import CUDA_HOME, ROCM_HOME
from crawler.builds.stub_toolchain import rocm_toolkit
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.validate.suites.own_builds.cmake_texts import list_switches
from crawler.validate.suites.own_builds.needed_projects import list_needed_flags
from crawler.validate.suites.own_builds.stand_in_paths import (
    BUILD_MOUNT,
    CHECKOUT_MOUNT,
    GOOGLETEST_MOUNT,
)

# a Makefile's rule for what checks the project
_CHECK_RULE: Final = re.compile(r"^(check|test|tests)[ \t]*:(?!=)", re.MULTILINE)
# an arch whose waves have 32 lanes, as the CPU model's warps
_HIP_ARCH: Final = "gfx1030"
_CMAKE_FLAGS: Final = (
    *("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON"),
    f"-DCMAKE_CUDA_ARCHITECTURES={arch_flags.ASSUMED_CUDA_ARCH}",
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
    "-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON",
    f"-DCMAKE_CUDA_COMPILER={CUDA_HOME}/bin/nvcc",
    f"-DCMAKE_CUDA_HOST_COMPILER={CUDA_HOME}/bin/g++",
    f"-DCMAKE_CXX_COMPILER={CUDA_HOME}/bin/g++",
    f"-DCMAKE_HIP_ARCHITECTURES={_HIP_ARCH}",
    f"-DCMAKE_HIP_COMPILER={rocm_toolkit.COMPILER}",
    f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={ROCM_HOME}",
    f"-DCMAKE_PREFIX_PATH={ROCM_HOME}",
    f"-DCUDAToolkit_ROOT={CUDA_HOME}",
    f"-DCUDA_TOOLKIT_ROOT_DIR={CUDA_HOME}",
    "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
    *(
        f"-DFETCHCONTENT_SOURCE_DIR_{name}={GOOGLETEST_MOUNT}"
        for name in ("GOOGLETEST", "GTEST", "GOOGLE_TEST")
    ),
)


def find_build_folder(tree: SourceTree) -> tuple[str, str]:
    """Return what builds a project, `cmake`, `meson` or `make`, and in which folder; two empty
    strings where nothing does.
    """
    for name in tree.find_named("CMakeLists.txt"):
        if not is_vendored(name) and "project" in tree.read_text(name).lower():
            return "cmake", name.rpartition("/")[0]

    for folder in find_meson_projects(tree):
        if not is_vendored(folder):
            return "meson", folder

    for name in tree.find_named("Makefile", "makefile", "GNUmakefile"):
        if not is_vendored(name):
            return "make", name.rpartition("/")[0]

    return "", ""


def make_build_plan(
    tree: SourceTree, seconds: int, needed: Sequence[SourceTree]
) -> dict[str, object]:
    """Return what is run to build a project within so many seconds, and where its tests are."""
    system, folder = find_build_folder(tree)
    top = f"{CHECKOUT_MOUNT}/{folder}".rstrip("/")
    jobs = str(os.cpu_count() or 1)
    plan: dict[str, object] = {
        "seconds": seconds,
        "ctest_folder": "",
        "meson_command": [],
        "check_command": [],
        "folders": [CHECKOUT_MOUNT, BUILD_MOUNT],
    }
    if system == "cmake":
        variables = [f"-D{name}={value}" for name, value in list_switches(tree).items()]
        configure = [
            *("cmake", "-S", top, "-B", BUILD_MOUNT),
            *(*_CMAKE_FLAGS, *variables, *list_needed_flags(needed)),
        ]
        build = ["cmake", "--build", BUILD_MOUNT, "-j", jobs, "--", "-k", "0"]
        steps = [
            _make_step(configure, BUILD_MOUNT),
            _make_step(build, BUILD_MOUNT),
        ]
        return plan | {"steps": steps, "ctest_folder": BUILD_MOUNT}

    if system == "meson":
        meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
        options = ["--wrap-mode=nodownload", *choose_device_options(tree, folder)]
        build = ["ninja", "-C", BUILD_MOUNT, "-j", jobs, "-k", "0"]
        steps = [
            _make_step([*meson, "setup", *options, BUILD_MOUNT, top], BUILD_MOUNT),
            _make_step(build, BUILD_MOUNT),
        ]
        list_tests = [*meson, "introspect", "--tests", BUILD_MOUNT]
        return plan | {"steps": steps, "meson_command": list_tests}

    words = ["make", f"-j{jobs}", "-k", *_list_make_variables()]
    steps = [_make_step(words, top)]
    target = _find_check_target(tree, folder)
    if target:
        check = ["make", "-C", top, target, *_list_make_variables()]
        # it may build what it runs
        steps.append(_make_step(check, top))
        plan["check_command"] = check

    return plan | {"steps": steps}


def _make_step(command: list[str], directory: str) -> dict[str, object]:
    return {"command": command, "directory": directory}


def _list_make_variables() -> list[str]:
    nvcc = f"{CUDA_HOME}/bin/nvcc"
    homes = ("CUDA_PATH", "CUDA_HOME", "CUDA_DIR", "CUDA_ROOT")
    return [
        *(f"NVCC={nvcc}", f"HIPCC={ROCM_HOME}/bin/hipcc"),
        *(f"{name}={CUDA_HOME}" for name in homes),
        *(f"{name}={ROCM_HOME}" for name in ("ROCM_PATH", "ROCM_HOME", "HIP_PATH")),
    ]


def _find_check_target(tree: SourceTree, folder: str) -> str:
    for name in ("GNUmakefile", "makefile", "Makefile"):
        path = f"{folder}/{name}".lstrip("/")
        if path in tree.files:
            rule = _CHECK_RULE.search(tree.read_text(path))
            return rule[1] if rule else ""

    return ""
