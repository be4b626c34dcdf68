"""Name the macros of a project that a build sets to have its device code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.model import Dialect

# words within the name of a macro
_DEVICE_WORD: Final = re.compile(r"(?<![A-Za-z])(?:GPU|CUDA|HIP)(?![A-Za-z])")
# the whole name of a macro
_WARP_SIZE: Final = re.compile(r"[A-Z][A-Z0-9_]*_WARP_?SIZE")


def name_companion_switches(
    names: Iterable[str], dialect: Dialect | None
) -> frozenset[str]:
    """Return the macros that a build would set together with those which are to be set.

    `LIB_USE_GPU` says that there is device code, and `LIB_USE_CUDA` in which language: headers
    that are read with one of them alone have half of their declarations. A project need not have
    all that are named here.
    """
    names = frozenset(names)
    words = ("GPU", "HIP" if dialect is Dialect.HIP else "CUDA")
    companions = {
        _DEVICE_WORD.sub(word, name)
        for name in names
        if _DEVICE_WORD.search(name)
        for word in words
    }
    return frozenset(companions - names)


def read_warp_size(name: str, dialect: Dialect | None) -> str:
    """Return the value of a project's macro for the lanes of a warp; `""` for other macros.

    A configuration takes it from the device, so that no file of the project has it.
    """
    if not _WARP_SIZE.fullmatch(name):
        return ""
    return "64" if dialect is Dialect.HIP else "32"
