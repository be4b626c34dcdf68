"""Environment variables that switch on the GPU code of a build, recognised by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.model import Dialect

_READS: Final = re.compile(
    r"""(?:environ(?:\.get|\.setdefault)?[\[(]|getenv\()\s?["']([A-Z][A-Z0-9_]{2,60})["']"""
)
_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{2,60}")
_IS_VALUE: Final = re.compile(
    r"HOME|PATH|ARCH|ARCHS|LIST|ROOT|DIR|FLAGS|DEVICES|CACHE|URL|VERSION|STRING|TYPE|DEVICE|JOBS|THREADS|NUM|MAX|DATE"
    r"|TAG|SUFFIX|PREFIX|NAME|ID|LEVEL|TARGET|TARGETS|PLATFORM|COMPILER|BACKEND|CAPABILITY|CAPABILITIES|GENERATOR|FILE"
)
_ASKS: Final = re.compile(r"BUILD|WITH|ENABLE|ENABLED|USE|INSTALL|COMPILE|FORCE")
_ASKS_ELSE: Final = re.compile(
    r"NO|NOT|DISABLED?|WITHOUT|SKIP|ONLY|OLD|DEBUG|TRACE|PROFILE|PROFILING|TESTS?|TESTING|BENCH|BENCHMARKS?|CPU|MUSA|NPU"
    r"|MLU|MPS|XPU|SYCL|OPENCL|VULKAN|METAL|WIN32|WINDOWS|MSVC|HIP|ROCM|AMD|MIOPEN|TPU|NEURON|HPU|GAUDI|CANN|ASCEND|NINJA"
    r"|CCACHE|SCCACHE|STATIC|SYSTEM|WHEEL|WHEELS|PREBUILT|PRECOMPILED|NIGHTLY|RELEASE|DOCS?|COVERAGE|SANITIZE|SANITIZER"
    r"|ASAN|LINT|ABI|OFFLINE|DOWNLOAD|PYPI|CONDA|LOCAL|STUB|STUBS|PYTHONPATH|GIT|ISOLATION|DISTUTILS|HIPIFY|PURE|DRY"
)
_MOST: Final = 60


def find_device_switches(text: str) -> dict[str, str]:
    """Return the variables that a build's text reads and that, by name, are about CUDA,
    switched on.
    """
    return _on(
        name for name in _READS.findall(text) if is_device_switch(name, Dialect.CUDA)
    )


def select_build_switches(names: Iterable[str]) -> dict[str, str]:
    """Return those of the variables that a build asked for that would have it build more,
    switched on.
    """
    return _on(
        name
        for name in names
        if _NAME.fullmatch(name)
        and (is_device_switch(name, Dialect.CUDA) or _builds(name))
    )


def _builds(name: str) -> bool:
    words = name.split("_")
    return any(map(_ASKS.fullmatch, words)) and not any(
        map(_ASKS_ELSE.fullmatch, words)
    )


def _on(names: Iterable[str]) -> dict[str, str]:
    wanted = (
        name for name in names if not any(map(_IS_VALUE.fullmatch, name.split("_")))
    )
    return {
        name: "1" for name, _ in zip(dict.fromkeys(wanted), range(_MOST), strict=False)
    }
