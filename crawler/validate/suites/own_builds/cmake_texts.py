"""CMake files of a project, as far as this machine's CMake has to see them otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from crawler import process
from crawler.builds.build_files.build_hints import is_device_switch
from crawler.builds.cmake.cmake_facts import relax_minimum_version
from crawler.builds.cmake.compiler_seed import render_compiler_file
from crawler.checkout.source_scan import get_suffix
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect
from crawler.process_limits import Limits

_LIMITS: Final = Limits(seconds=20)
# `cmake_policy(SET CMP0175 NEW)` in a CMake file
_POLICY: Final = re.compile(
    r"\bcmake_policy\s*\(\s*SET\s+CMP(\d{4})\s+\w+\s*\)", re.IGNORECASE
)
# `cmake version 3.25.1`
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")
# a policy's name where CMake lists those that it knows
_POLICY_NAME: Final = re.compile(r"CMP(\d{4})")
# a switch of a CMake project: `option(BUILD_TESTS "…" OFF)`
_OPTION: Final = re.compile(
    r"^\s*option\s*\(\s*(\w{1,80})", re.MULTILINE | re.IGNORECASE
)
# a switch for tests, such as `FOO_BUILD_TESTS`; one for their coverage is none
_TEST_SWITCH: Final = re.compile(
    r"(?:^|_)(?:UNIT_?|G)?TEST(?:S|ING)?$|^(?:BUILD|ENABLE|WITH)_TEST(?:S|ING)?_",
    re.IGNORECASE,
)
# a switch for benchmarks, such as `FOO_BUILD_BENCHMARKS`
_BENCHMARK_SWITCH: Final = re.compile(
    r"(?:^|_)BENCH(?:MARK(?:S|ING)?)?$", re.IGNORECASE
)


def relax_cmake_files(tree: SourceTree, copy: Path) -> None:
    """Let the CMake files of a project's `copy` ask for no newer CMake than is here."""
    texts = relax_minimum_version(tree)
    for path in _list_cmake_files(tree):
        text = texts.get(path, tree.read_text(path))
        relaxed = _POLICY.sub(_drop_unknown_policy, text)
        if path in texts or relaxed != text:
            # it may be a link to the checkout's own file
            (copy / path).unlink()
            (copy / path).write_text(relaxed)


def describe_hip_compiler(build_folder: Path) -> None:
    """Describe the HIP compiler to CMake in the new `build_folder`.

    CMake would otherwise ask the compiler itself, for its bitcode among other things, which the
    stand-in has not.
    """
    version = _VERSION.search(process.run(("cmake", "--version"), limits=_LIMITS).text)
    if version is None:
        return

    folder = build_folder / "CMakeFiles" / version[0]
    folder.mkdir(parents=True)
    (folder / "CMakeHIPCompiler.cmake").write_text(render_compiler_file("HIP"))
    for path in (folder.parent, folder, *folder.iterdir()):
        # the sandbox runs CMake as another user
        path.chmod(0o777 if path.is_dir() else 0o666)


def list_switches(tree: SourceTree) -> dict[str, str]:
    """Return how the options of a project are set: its tests and device code on, benchmarks off,
    which often need more than is here.
    """
    dialect = find_dialect(tree.files)
    switches: dict[str, str] = {}
    for path in _list_cmake_files(tree):
        for name in _OPTION.findall(tree.read_text(path)):
            if _TEST_SWITCH.search(name) or is_device_switch(name, dialect):
                switches[name] = "ON"
            elif _BENCHMARK_SWITCH.search(name):
                switches[name] = "OFF"

    return switches


def find_dialect(paths: Iterable[str]) -> Dialect:
    """Return the dialect of a project by its files: HIP where some are `.hip` and none `.cu`."""
    suffixes = {get_suffix(path) for path in paths}
    return Dialect.HIP if "hip" in suffixes and "cu" not in suffixes else Dialect.CUDA


def _list_cmake_files(tree: SourceTree) -> list[str]:
    return [
        path
        for path in tree.files
        if path.endswith(("CMakeLists.txt", ".cmake")) and not is_vendored(path)
    ]


def _drop_unknown_policy(match: re.Match[str]) -> str:
    return match[0] if int(match[1]) <= _find_newest_policy() else ""


@cache
def _find_newest_policy() -> int:
    listed = process.run(("cmake", "--help-policy-list"), limits=_LIMITS).text
    return max(map(int, _POLICY_NAME.findall(listed)), default=0)
