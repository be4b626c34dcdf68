"""Suites of projects that build themselves: CTest's, GoogleTest's, and `make check`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree
from crawler.sandbox import Mount
from crawler.sandbox.work_folder import make_readable_folder, open_work_folder
from crawler.validate.programs.host_build.build_failure import (
    BuildFailed,
)
from crawler.validate.suites.interface import (
    ReadySuite,
    SuiteKind,
    SuiteRefused,
    SuiteRequest,
)
from crawler.validate.suites.own_builds.build_plan import find_build_folder
from crawler.validate.suites.own_builds.own_build import (
    INSIDE,
    TREE_FILE,
    OwnBuild,
    build_project,
    make_build_variables,
)
from crawler.validate.suites.own_builds.stand_in_paths import (
    BUILD_MOUNT,
    CHECKOUT_MOUNT,
    KERNELS_FILE,
    TOOLS_MOUNT,
)
from crawler.validate.suites.suite_runs import SuiteProject

_BUILT_MOUNT: Final = "/built"
_TESTS_FILE: Final = "suite.json"
_MAX_BROKEN: Final = 20
_MAX_MESSAGE_LENGTH: Final = 500
_SPARE_BYTES: Final = 512 << 20
"""What tests may write beside what was built."""
# what ninja and make say of a target that failed
_FAILED_TARGET: Final = re.compile(
    r"^(?:FAILED: (?P<ninja>\S+)|make(?:\[\d+\])?: \*\*\* \[[^\]]*?(?P<make>[\w./-]+)\] Error)",
    re.MULTILINE,
)
# what compilers, linkers and CMake say of what went wrong
_ERROR: Final = re.compile(
    r"^[^\n]*(?:\berror: |undefined reference|CMake Error|ERROR: )[^\n]*(?:\n  [^\n]*)?",
    re.MULTILINE,
)
# the first step of a project of CMake or Meson in the log, with its exit code
_CONFIGURED: Final = re.compile(
    r"\$ (?:cmake -S|\S+ -m mesonbuild\S* setup) [^\n]*\n(?P<output>.*?)"
    r"^exit code (?P<code>-?\d+)$",
    re.MULTILINE | re.DOTALL,
)
# a message of CMake's: its first line, and what is indented, or blank, behind it; or one of
# Meson's: `meson.build:3:0: ERROR: …`
_CONFIGURE_ERROR: Final = re.compile(
    r"^(?:CMake Error[^\n]*(?:\n(?:  [^\n]*)?)*|[^\n]*ERROR: [^\n]*)", re.MULTILINE
)


class OwnBuildSuite:
    """Lets a project build itself with CMake, Meson or make, against stand-in compilers."""

    name = "own_build"
    order = 20
    needs_torch = False

    def recognises(self, tree: SourceTree) -> bool:
        """Tell whether a project with device code has a project of CMake or Meson, or a
        Makefile.
        """
        has_device_code = any(
            get_suffix(path) in DEVICE_SOURCE_SUFFIXES for path in tree.files
        )
        return has_device_code and bool(find_build_folder(tree)[0])

    @contextmanager
    def open(self, request: SuiteRequest) -> Iterator[ReadySuite]:
        """Build the project, and list its tests."""
        if not find_build_folder(request.tree)[0]:
            raise SuiteRefused(
                "no-test", "it has no project of CMake or Meson, and no Makefile"
            )

        with open_work_folder("suite") as scratch:
            request.report_progress("the project's own build")
            try:
                build = build_project(request.tree, scratch, needed=request.needed)
            except BuildFailed as error:
                raise SuiteRefused(error.code, str(error)) from error

            broken = dict(_find_broken(build.log))
            if not build.tests:
                raise _explain(build, broken)

            project = _make_project(build, scratch, request.tree.root)
            yield ReadySuite(project=project, kernels=build.kernels, broken=broken)


def _explain(build: OwnBuild, broken: dict[str, str]) -> SuiteRefused:
    errors = _ERROR.findall(build.log)
    if errors:
        return SuiteRefused("build-failed", errors[0].strip(), broken)
    return SuiteRefused(
        "no-test", "the build has no test that CTest or GoogleTest lists"
    )


def _find_broken(log: str) -> Iterator[tuple[str, str]]:
    """Yield what was not built, and why: `configure` where CMake or Meson has made no build,
    then each target, with the first error behind it, or before.
    """
    configured = _CONFIGURED.match(log)
    if configured is not None and configured["code"] != "0":
        error = _CONFIGURE_ERROR.search(configured["output"])
        message = " ".join(error[0].split()) if error else "it failed"
        yield "configure", message[:_MAX_MESSAGE_LENGTH]

    targets = list(_FAILED_TARGET.finditer(log))[:_MAX_BROKEN]
    for target in targets:
        # ninja names a target first, make last
        error = _ERROR.search(log, target.end()) if target["ninja"] else None
        if target["make"]:
            errors = list(_ERROR.finditer(log, 0, target.start()))
            error = errors[-1] if errors else None
        message = error[0].strip() if error else "it failed"
        yield target["ninja"] or target["make"], message[:_MAX_MESSAGE_LENGTH]


def _make_project(build: OwnBuild, scratch: Path, root: Path) -> SuiteProject:
    empty = make_readable_folder(scratch / "laid-out")
    tests = [msgspec.to_builtins(test) for test in build.tests]
    (build.results / _TESTS_FILE).write_text(json.dumps(tests))
    tree_size = (build.results / TREE_FILE).stat().st_size

    return SuiteProject(
        folder=root,
        command=(sys.executable, f"{TOOLS_MOUNT}/run_commands.py"),
        mounts=(
            *build.mounts,
            Mount(source=INSIDE, target=TOOLS_MOUNT),
            Mount(source=build.results, target=_BUILT_MOUNT),
            *(
                Mount(source=empty, target=target, writable=True, copy_back=())
                for target in (CHECKOUT_MOUNT, BUILD_MOUNT)
            ),
        ),
        variables={
            **make_build_variables(),
            "KERNELSET_TREE": f"{_BUILT_MOUNT}/{TREE_FILE}",
            "KERNELSET_KERNELS": f"{_BUILT_MOUNT}/{KERNELS_FILE}",
            "KERNELSET_TESTS": f"{_BUILT_MOUNT}/{_TESTS_FILE}",
        },
        scratch_bytes=tree_size + _SPARE_BYTES,
    )


PLUGIN: Final[SuiteKind] = OwnBuildSuite()
