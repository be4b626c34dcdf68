"""Choose the AMD GPU architecture that a HIP unit is emulated as."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.cpp.brackets import BRACES, closing_in_code
from crawler.model import Dialect, KernelUnit

_NAMED: Final = re.compile(r"\b__gfx(\d\w*?)_*\b")
_MATRICES: Final = re.compile(r"\b__builtin_amdgcn_s?mfma")
_MATRICES_OF_RDNA: Final = re.compile(r"\b__builtin_amdgcn_wmma")
_LANES: Final = 32
_OPENS: Final = re.compile(r"[^;{]*+\{")
_PARAMETERS: Final = 1 << 14
_HEAD: Final = 400
"""Characters of a name, a head and its bases, within which the kernel's body begins."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """A device by the macros that its compiler defines, and the lanes of its warps."""

    name: str
    """Empty for none in particular."""
    warp_size: int

    @property
    def macro_flags(self) -> tuple[str, ...]:
        """The flags that say so, those too by which projects name its family themselves:
        `__gfx11__` of `gfx1100`.
        """
        number = self.name[3:]
        families = (f"-D__gfx{number[:end]}__=1" for end in range(1, len(number)))
        return (
            (f"-D__{self.name}__=1", f"-D__GFX{number[:-2]}__=1", *families)
            if self.name
            else ()
        )


_NONE: Final = Architecture("", _LANES)
_CDNA2: Final = Architecture("gfx90a", 64)
_CDNA3: Final = Architecture("gfx942", 64)
_RDNA3: Final = Architecture("gfx1100", _LANES)
_OF_CDNA3: Final = ("94", "95")


def choose_architecture(unit: KernelUnit) -> Architecture:
    """Return the device that the kernel itself asks for by name, else the first that its unit
    asks for, else none.

    A kernel whose body is there for some devices only would be empty on all others, and so
    would be its products of
    matrices, of which two families have their own.
    """
    return (
        _chosen(unit.source, unit.kernel_name) if unit.dialect is Dialect.HIP else _NONE
    )


@lru_cache(maxsize=4)
def _chosen(source: str, kernel_name: str) -> Architecture:
    by_kernel, every = (
        set(_NAMED.findall(_body(source, kernel_name))),
        set(_NAMED.findall(source)),
    )
    if (
        _of_rdna(every)
        and not _served(by_kernel)
        and _MATRICES_OF_RDNA.search(source)
        and not _MATRICES.search(source)
    ):
        return _RDNA3
    named = by_kernel or every
    return _CDNA2 if not named and _MATRICES.search(source) else _served(named) or _NONE


def _served(named: Collection[str]) -> Architecture | None:
    """Return the device that a CPU stands for where these are asked for by name."""
    cdna = [each for each in named if each.startswith("9")]
    if cdna:
        return _CDNA3 if all(each.startswith(_OF_CDNA3) for each in cdna) else _CDNA2
    return _RDNA3 if _of_rdna(named) else None


def _of_rdna(named: Collection[str]) -> bool:
    return any(each.startswith("11") for each in named)


def _body(source: str, kernel_name: str) -> str:
    """Return the text of the kernel's definition, empty where none is found."""
    name = kernel_name.partition("<")[0].rpartition("::")[2]
    for found in re.finditer(rf"\b{re.escape(name)}\s*\(", source) if name else ():
        begins = source.rfind(
            "__global__", max(0, found.start() - _HEAD), found.start()
        )
        opens = _OPENS.match(source, found.end(), found.end() + _PARAMETERS)
        if begins >= 0 and opens:
            closing = closing_in_code(source, opens.end() - 1, pairs=BRACES)
            return source[opens.end() : closing + 1 if closing >= 0 else len(source)]
    return ""
