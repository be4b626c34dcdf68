"""Macros and the C++ standard named by build files, and which macros enable device code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.model import Dialect

OLDEST_STANDARD: Final = 17
_NEWEST_STANDARD: Final = 23
_MOST_FILES: Final = 2000
_BUILD_FILES: Final = re.compile(
    r"(?:^|/)(?:setup\.(?:py|cfg)|pyproject\.toml|CMakeLists\.txt|[^/]+\.cmake|(?:GNU)?[Mm]akefile[^/]*|[^/]+\.mk"
    r"|meson\.build|BUILD(?:\.bazel)?|[^/]+\.bzl)$"
)
_PYTHON_HINTS: Final = (b"define_macros", b"cpp_extension", b"nvcc", b"hipcc")
_VALUE: Final = r"""(?:=((?:\\?"[^"\s]{0,80}\\?"|[\w.+-]{1,80})))?"""
_FLAG: Final = re.compile(rf"(?<![\w-])-D[ ]?([A-Za-z]\w*){_VALUE}")
_PAIR: Final = re.compile(
    r"""\(\s*["']([A-Za-z]\w*)["']\s*,\s*(?:None|["']([^"'\n]{0,80})["'])\s*\)"""
)
_DEFINITIONS: Final = re.compile(
    r"(?:target_compile_definitions|add_compile_definitions)\s*\(([^)]{0,1000})\)"
)
_WORD: Final = re.compile(rf"(?<![\w$<{{:])([A-Z]\w*){_VALUE}(?![\w>}}:])")
_CMAKE_SCOPES: Final = frozenset({"PRIVATE", "PUBLIC", "INTERFACE"})
_COMPUTED: Final = re.compile(r"[${}%@]")
_STANDARD: Final = re.compile(
    r"-std=(?:c|gnu)\+\+(1[47]|2[036])\b|(?:CXX|CUDA|HIP|\})_STANDARD\s+(1[47]|2[036])\b|cxx_std_(1[47]|2[036])\b"
)
_DEVICE_WORDS: Final = re.compile(
    r"GPU|BF16|BFLOAT16|FP16|HALF|FP8|FP4|NVFP4|INT8|SM\d{2,3}"
)
_CUDA_WORDS: Final = re.compile(r"CUDA|NVCC|CUTLASS|CUBLAS")
_HIP_WORDS: Final = re.compile(r"HIP|ROCM|AMD")
_OFF_WORD: Final = re.compile(
    r"NO|NOT|DISABLED?|WITHOUT|OLD|DEBUG|TRACE|PROFILE|TESTS?|BENCH|SKIP|ONLY|CPU|MUSA|NPU|MLU|MPS|XPU|SYCL|OPENCL"
    r"|VULKAN|METAL|MIOPEN|WIN32|WINDOWS|MSVC|VERSION|FORCE|DEFAULT|ARM|NEON"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildHints:
    """Macros (with their values, where they have one) and the newest language standard that
    build files name.
    """

    macros: Mapping[str, str]
    standard: int = OLDEST_STANDARD

    def make_defines(
        self, tested_macros: Iterable[str], dialect: Dialect | None
    ) -> tuple[str, ...]:
        """Return `-D` flags for those macros that a unit tests and that, by their name, switch
        device code on.
        """
        wanted = sorted(
            name
            for name in set(tested_macros) & self.macros.keys()
            if is_device_switch(name, dialect)
        )
        return tuple(
            f"-D{name}={self.macros[name]}" if self.macros[name] else f"-D{name}"
            for name in wanted
        )


def is_device_switch(macro: str, dialect: Dialect | None) -> bool:
    """Tell whether a macro's words say that it switches on code for the device, and for no
    other vendor's.
    """
    own = _HIP_WORDS if dialect is Dialect.HIP else _CUDA_WORDS
    is_own = bool(own.search(macro.upper())) or _about_device(macro.upper().split("_"))
    return is_own and not is_unwanted_switch(macro, dialect)


def is_unwanted_switch(macro: str, dialect: Dialect | None) -> bool:
    """Tell whether a macro's words say that it switches something off, or name the other
    vendor's devices alone.
    """
    if any(map(_OFF_WORD.fullmatch, macro.upper().split("_"))):
        return True
    is_hip, is_cuda = (
        bool(_HIP_WORDS.search(macro.upper())),
        bool(_CUDA_WORDS.search(macro.upper())),
    )
    return is_cuda and not is_hip if dialect is Dialect.HIP else is_hip


@lru_cache(maxsize=1)
def read_build_hints(tree: SourceTree) -> BuildHints:
    """Read the build files of `tree`; nothing is run."""
    macros: dict[str, str] = {}
    standard = OLDEST_STANDARD
    for path, text in _build_files(tree):
        for name, value in _macros(text):
            macros.setdefault(name, value)
        if not is_vendored(path):
            standard = max([standard, *_standards(text)])
    return BuildHints(macros=macros, standard=min(standard, _NEWEST_STANDARD))


def _build_files(tree: SourceTree) -> Iterator[tuple[str, str]]:
    count = 0
    for path in tree.files:
        named = bool(_BUILD_FILES.search(path))
        if not named and not path.endswith(".py"):
            continue
        content = tree.read_bytes(path)
        if named or any(hint in content for hint in _PYTHON_HINTS):
            count += 1
            yield path, content.decode("utf-8", "replace")
        if count >= _MOST_FILES:
            return


def _macros(text: str) -> Iterator[tuple[str, str]]:
    found = _FLAG.findall(text) + _PAIR.findall(text)
    for block in _DEFINITIONS.findall(text):
        found += [pair for pair in _WORD.findall(block) if pair[0] not in _CMAKE_SCOPES]
    for name, value in found:
        if not _COMPUTED.search(value):
            yield name, value.replace("\\", "")


def _standards(text: str) -> Iterator[int]:
    for found in _STANDARD.findall(text):
        yield from (int(number) for number in found if number)


def _about_device(words: list[str]) -> bool:
    return any(map(_DEVICE_WORDS.fullmatch, words))
