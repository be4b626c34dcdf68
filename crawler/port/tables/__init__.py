"""CUDA to HIP name tables, joined; whole tokens only are renamed.

Kernel launches (`<<<…>>>`), built-in variables, most device functions and vector types are the
same in both
dialects and are not listed. What HIP lacks but can be expressed in it (the `_sync` family,
`__ldcs`, …) keeps its name:
`<kernelset/hip.h>` defines it.
"""

from __future__ import annotations

from typing import Final

from crawler.port.tables.device import (
    COMPATIBILITY_NAMES,
    COMPILER_MACROS,
    CONSTANTS,
    CUB,
    RANDOM,
    RENAMED_NAMESPACES,
    TOOLKIT_MACROS,
)
from crawler.port.tables.driver import DRIVER
from crawler.port.tables.headers import (
    RENAMED_HEADER_FOLDERS,
    RENAMED_HEADERS,
    RENAMED_PRELUDES,
    RUNTIME_HEADERS,
)
from crawler.port.tables.host_api import (
    MORE_DRIVER,
    MORE_RUNTIME,
    NEWER_DRIVER,
    NEWER_RUNTIME,
)
from crawler.port.tables.runtime import RUNTIME
from crawler.port.tables.types import COMPLEX, FP8, SAME_NAME_TYPES, SMALL_FLOATS, TYPES

TABLES_BY_RULE: Final = {
    "runtime": RUNTIME | MORE_RUNTIME | NEWER_RUNTIME,
    "driver": DRIVER | MORE_DRIVER | NEWER_DRIVER,
    "fp8": FP8,
    "small_float": SMALL_FLOATS,
    "type": TYPES,
    "complex": COMPLEX,
    "constant": CONSTANTS,
    "random": RANDOM,
    "cub": CUB,
    "compiler": COMPILER_MACROS,
}
"""The rule's name in a report, by table."""

RENAMED_NAMES: Final = {
    cuda: (family, hip)
    for family, table in TABLES_BY_RULE.items()
    for cuda, hip in table.items()
    if cuda != hip
}
"""Identifier to the family of its rule and its new name."""

__all__ = [
    "COMPATIBILITY_NAMES",
    "RENAMED_HEADERS",
    "RENAMED_HEADER_FOLDERS",
    "RENAMED_NAMES",
    "RENAMED_NAMESPACES",
    "RENAMED_PRELUDES",
    "RUNTIME_HEADERS",
    "SAME_NAME_TYPES",
    "TABLES_BY_RULE",
    "TOOLKIT_MACROS",
]
