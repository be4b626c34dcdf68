"""What CUDA names become in HIP. The tables are the documentation; `rewrite` applies them to whole tokens only.

Kernel launches (`<<<…>>>`), built-in variables, most device functions and vector types are the same in both
dialects and are not listed. What HIP lacks but can be expressed in it (the `_sync` family, `__ldcs`, …) keeps its name:
`<kernelset/hip.h>` defines it.
"""

from __future__ import annotations

from typing import Final

from crawler.port.rules.device import (
    COMPATIBILITY,
    COMPILER,
    CONSTANTS,
    CUB,
    NAMESPACES,
    NOT_HIP,
    OF_HIP,
    RANDOM,
    TOOLKIT,
)
from crawler.port.rules.driver import DRIVER
from crawler.port.rules.headers import HEADER_FOLDERS, HEADERS, PRELUDES, RUNTIME_HEADERS
from crawler.port.rules.host import MORE_DRIVER, MORE_RUNTIME, NEWER_DRIVER, NEWER_RUNTIME
from crawler.port.rules.runtime import RUNTIME
from crawler.port.rules.types import COMPLEX, FP8, LIKE_HIP, SMALL, TYPES

FAMILIES: Final = {
    "runtime": RUNTIME | MORE_RUNTIME | NEWER_RUNTIME,
    "driver": DRIVER | MORE_DRIVER | NEWER_DRIVER,
    "fp8": FP8,
    "small_float": SMALL,
    "type": TYPES,
    "complex": COMPLEX,
    "constant": CONSTANTS,
    "random": RANDOM,
    "cub": CUB,
    "compiler": COMPILER,
}
"""The rule's name in a report, by table."""

NAMES: Final = {cuda: (family, hip) for family, table in FAMILIES.items() for cuda, hip in table.items() if cuda != hip}
"""Identifier to the family of its rule and its new name."""

__all__ = [
    "COMPATIBILITY",
    "FAMILIES",
    "HEADERS",
    "HEADER_FOLDERS",
    "LIKE_HIP",
    "NAMES",
    "NAMESPACES",
    "NOT_HIP",
    "OF_HIP",
    "PRELUDES",
    "RUNTIME_HEADERS",
    "TOOLKIT",
]
