"""Environment variables that switch on the GPU code of a build, recognised by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.model import Dialect

# `os.environ["NAME"]`, `os.environ.get('NAME'`, `os.getenv("NAME"`
_READ_VARIABLE: Final = re.compile(
    r"""(?:environ(?:\.get|\.setdefault)?[\[(]|getenv\()\s?["']([A-Z][A-Z0-9_]{2,60})["']"""
)
_VARIABLE_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{2,60}")
# Words of names that hold a path, an architecture or a number, and so are no switch.
_VALUE_WORD: Final = re.compile(
    r"HOME|PATH|ARCH|ARCHS|LIST|ROOT|DIR|FLAGS|DEVICES|CACHE|URL|VERSION|STRING|TYPE"
    r"|DEVICE|JOBS|THREADS|NUM|MAX|DATE|TAG|SUFFIX|PREFIX|NAME|ID|LEVEL|TARGET|TARGETS"
    r"|PLATFORM|COMPILER|BACKEND|CAPABILITY|CAPABILITIES|GENERATOR|FILE"
)
_BUILD_WORD: Final = re.compile(r"BUILD|WITH|ENABLE|ENABLED|USE|INSTALL|COMPILE|FORCE")
# Words of switches that would have less built, or something else than CUDA code.
_UNWANTED_WORD: Final = re.compile(
    r"NO|NOT|DISABLED?|WITHOUT|SKIP|ONLY|OLD|DEBUG|TRACE|PROFILE|PROFILING|TESTS?|TESTING"
    r"|BENCH|BENCHMARKS?|CPU|MUSA|NPU|MLU|MPS|XPU|SYCL|OPENCL|VULKAN|METAL|WIN32|WINDOWS"
    r"|MSVC|HIP|ROCM|AMD|MIOPEN|TPU|NEURON|HPU|GAUDI|CANN|ASCEND|NINJA|CCACHE|SCCACHE"
    r"|STATIC|SYSTEM|WHEEL|WHEELS|PREBUILT|PRECOMPILED|NIGHTLY|RELEASE|DOCS?|COVERAGE"
    r"|SANITIZE|SANITIZER|ASAN|LINT|ABI|OFFLINE|DOWNLOAD|PYPI|CONDA|LOCAL|STUB|STUBS"
    r"|PYTHONPATH|GIT|ISOLATION|DISTUTILS|HIPIFY|PURE|DRY"
)
_MAX_SWITCHES: Final = 60


def find_device_switches(text: str) -> dict[str, str]:
    """Return the variables in a build's text that, by their names, are about CUDA.

    Each is mapped to the value that switches it on.
    """
    return _switch_on(
        name
        for name in _READ_VARIABLE.findall(text)
        if is_device_switch(name, Dialect.CUDA)
    )


def select_build_switches(names: Iterable[str]) -> dict[str, str]:
    """Return those of the variables that a build has read that would have it build more.

    Each is mapped to the value that switches it on.
    """
    return _switch_on(name for name in names if _is_build_switch(name))


def _is_build_switch(name: str) -> bool:
    if not _VARIABLE_NAME.fullmatch(name):
        return False
    if is_device_switch(name, Dialect.CUDA):
        return True

    words = name.split("_")
    if any(_UNWANTED_WORD.fullmatch(word) for word in words):
        return False

    return any(_BUILD_WORD.fullmatch(word) for word in words)


def _switch_on(names: Iterable[str]) -> dict[str, str]:
    switches = dict.fromkeys(name for name in names if not _holds_value(name))
    return dict.fromkeys(islice(switches, _MAX_SWITCHES), "1")


def _holds_value(name: str) -> bool:
    return any(_VALUE_WORD.fullmatch(word) for word in name.split("_"))
