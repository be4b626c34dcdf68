"""Macros and the C++ standard named by build files, and which macros enable device code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

OLDEST_STANDARD: Final = 17
CMAKE_SCOPES: Final = frozenset({"PRIVATE", "PUBLIC", "INTERFACE"})
"""Keywords of CMake that stand between a target and its definitions."""
_NEWEST_STANDARD: Final = 23
_MAX_FILES: Final = 2000
# files in which a build of any system may define a macro
_BUILD_FILE: Final = re.compile(
    r"(?:^|/)(?:setup\.(?:py|cfg)|pyproject\.toml|CMakeLists\.txt|[^/]+\.cmake"
    r"|(?:GNU)?[Mm]akefile[^/]*|[^/]+\.mk|meson\.build|BUILD(?:\.bazel)?|[^/]+\.bzl)$"
)
_PYTHON_BUILD_HINTS: Final = (b"define_macros", b"cpp_extension", b"nvcc", b"hipcc")
"""Words in a Python module that a setup.py may take its flags from."""

_VALUE: Final = r"""(?:=((?:\\?"[^"\s]{0,80}\\?"|[\w.+-]{1,80})))?"""
# -DUSE_CUDA, -D USE_CUDA=1
_DEFINE_FLAG: Final = re.compile(rf"(?<![\w-])-D[ ]?([A-Za-z]\w*){_VALUE}")
# ("WITH_CUDA", None) of setuptools' define_macros
_MACRO_PAIR: Final = re.compile(
    r"""\(\s*["']([A-Za-z]\w*)["']\s*,\s*(?:None|["']([^"'\n]{0,80})["'])\s*\)"""
)
_CMAKE_DEFINITIONS: Final = re.compile(
    r"(?:target_compile_definitions|add_compile_definitions)\s*\(([^)]{0,1000})\)"
)
_CMAKE_MACRO: Final = re.compile(rf"(?<![\w$<{{:])([A-Z]\w*){_VALUE}(?![\w>}}:])")
_COMPUTED_VALUE: Final = re.compile(r"[${}%@]")
_STANDARD: Final = re.compile(
    r"-std=(?:c|gnu)\+\+(1[47]|2[036])\b"
    r"|(?:CXX|CUDA|HIP|\})_STANDARD\s+(1[47]|2[036])\b"
    r"|cxx_std_(1[47]|2[036])\b"
)
_DEVICE_WORD: Final = re.compile(
    r"GPU|BF16|BFLOAT16|FP16|HALF|FP8|FP4|NVFP4|INT8|SM\d{2,3}"
)
_CUDA_WORD: Final = re.compile(r"CUDA|NVCC|CUTLASS|CUBLAS")
_HIP_WORD: Final = re.compile(r"HIP|ROCM|AMD")
_OFF_WORD: Final = re.compile(
    r"NO|NOT|DISABLED?|WITHOUT|OLD|DEBUG|TRACE|PROFILE|TESTS?|BENCH|SKIP|ONLY|CPU|MUSA|NPU"
    r"|MLU|MPS|XPU|SYCL|OPENCL|VULKAN|METAL|MIOPEN|WIN32|WINDOWS|MSVC|VERSION|FORCE|DEFAULT"
    r"|ARM|NEON"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildHints:
    """Macros and the newest language standard that build files name."""

    macros: Mapping[str, str]
    """Values by name, empty for a macro without one."""
    standard: int = OLDEST_STANDARD

    def make_defines(
        self, tested_macros: Iterable[str], dialect: Dialect | None
    ) -> tuple[str, ...]:
        """Return `-D` flags for those macros that a unit tests and that enable device code."""
        defines = []
        for name in sorted(set(tested_macros) & self.macros.keys()):
            if not is_device_switch(name, dialect):
                continue

            value = self.macros[name]
            defines.append(f"-D{name}={value}" if value else f"-D{name}")

        return tuple(defines)


def is_device_switch(macro: str, dialect: Dialect | None) -> bool:
    """Tell whether a macro, by the words of its name, enables device code of this dialect.

    `WITH_CUDA` and `ENABLE_BF16` do for CUDA, `NO_CUDA` and `USE_ROCM` do not.
    """
    name = macro.upper()
    vendor_word = _CUDA_WORD
    if dialect is Dialect.HIP:
        vendor_word = _HIP_WORD

    names_vendor = vendor_word.search(name) is not None
    is_about_device = names_vendor or _has_word(name, _DEVICE_WORD)

    return is_about_device and not is_unwanted_switch(macro, dialect)


def is_unwanted_switch(macro: str, dialect: Dialect | None) -> bool:
    """Tell whether a macro's name disables something, or names the other vendor alone."""
    name = macro.upper()
    if _has_word(name, _OFF_WORD):
        return True

    names_hip = bool(_HIP_WORD.search(name))
    if dialect is Dialect.HIP:
        names_cuda = bool(_CUDA_WORD.search(name))
        return names_cuda and not names_hip

    return names_hip


@lru_cache(maxsize=1)
def read_build_hints(tree: SourceTree) -> BuildHints:
    """Read the build files of `tree`; nothing is run."""
    macros: dict[str, str] = {}
    standard = OLDEST_STANDARD

    for path, text in _iter_build_files(tree):
        for name, value in _iter_macros(text):
            # the first file that names a macro gives its value
            macros.setdefault(name, value)

        # a library that is carried along may be built by itself, with an older standard
        if not is_vendored(path):
            standard = max([standard, *_iter_standards(text)])

    return BuildHints(macros=macros, standard=min(standard, _NEWEST_STANDARD))


def _iter_build_files(tree: SourceTree) -> Iterator[tuple[str, str]]:
    count = 0
    for path in tree.files:
        is_build_file = bool(_BUILD_FILE.search(path))
        if not is_build_file and not path.endswith(".py"):
            continue

        content = tree.read_bytes(path)
        if is_build_file or any(hint in content for hint in _PYTHON_BUILD_HINTS):
            count += 1
            yield path, content.decode("utf-8", "replace")

        # a collection of projects has thousands
        if count >= _MAX_FILES:
            return


def _iter_macros(text: str) -> Iterator[tuple[str, str]]:
    """Yield the macros that a build file defines, with their values."""
    macros = _DEFINE_FLAG.findall(text) + _MACRO_PAIR.findall(text)
    for arguments in _CMAKE_DEFINITIONS.findall(text):
        for macro in _CMAKE_MACRO.findall(arguments):
            name = macro[0]
            if name not in CMAKE_SCOPES:
                macros.append(macro)

    for name, value in macros:
        # e.g. f"-DVERSION={version}", whose value only the build knows
        if not _COMPUTED_VALUE.search(value):
            yield name, value.replace("\\", "")


def _iter_standards(text: str) -> Iterator[int]:
    # one group for each way to spell a standard
    for groups in _STANDARD.findall(text):
        for year in groups:
            if year:
                yield int(year)


def _has_word(name: str, word: re.Pattern[str]) -> bool:
    parts = name.split("_")
    return any(word.fullmatch(part) for part in parts)
