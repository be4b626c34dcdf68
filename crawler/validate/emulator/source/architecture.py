"""Choose the AMD GPU architecture that a HIP unit is emulated as."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.cpp.brackets import BRACES, closing_in_text
from crawler.model import Dialect, KernelUnit

# Names anywhere in a unit count, in conditions of its preprocessor above all: no tree has those
_ARCHITECTURE_MACRO: Final = re.compile(r"\b__gfx(\d\w*?)_*\b")
_CDNA_MATRIX_BUILTIN: Final = re.compile(r"\b__builtin_amdgcn_s?mfma")
_RDNA_MATRIX_BUILTIN: Final = re.compile(r"\b__builtin_amdgcn_wmma")
_BODY_OPENING: Final = re.compile(r"[^;{]*+\{")
_MAX_PARAMETERS_LENGTH: Final = 1 << 14
_MAX_HEAD_LENGTH: Final = 400
"""Characters in front of a kernel's name within which `__global__` stands."""
_NARROW_WARP: Final = 32
_WIDE_WARP: Final = 64


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
        if not self.name:
            return ()

        number = self.name.removeprefix("gfx")
        flags = [f"-D__{self.name}__=1", f"-D__GFX{number[:-2]}__=1"]

        for length in range(1, len(number)):
            flags.append(f"-D__gfx{number[:length]}__=1")

        return tuple(flags)


_NO_ARCHITECTURE: Final = Architecture("", _NARROW_WARP)
_CDNA2: Final = Architecture("gfx90a", _WIDE_WARP)
_CDNA3: Final = Architecture("gfx942", _WIDE_WARP)
_RDNA3: Final = Architecture("gfx1100", _NARROW_WARP)
_CDNA_PREFIX: Final = "9"
_CDNA3_PREFIXES: Final = ("94", "95")
_RDNA3_PREFIX: Final = "11"


def choose_architecture(unit: KernelUnit) -> Architecture:
    """Return the device that the kernel itself asks for by name, else the first that its unit
    asks for, else none.

    A kernel whose body is there for some devices only would be empty on all others, and so
    would be its products of matrices, of which two families have their own.
    """
    if unit.dialect is not Dialect.HIP:
        return _NO_ARCHITECTURE
    return _choose_by_source(unit.source, unit.kernel_name)


@lru_cache(maxsize=4)
def _choose_by_source(source: str, kernel_name: str) -> Architecture:
    kernel_body = _find_kernel_body(source, kernel_name)
    kernel_numbers = set(_ARCHITECTURE_MACRO.findall(kernel_body))
    unit_numbers = set(_ARCHITECTURE_MACRO.findall(source))
    has_cdna_matrices = bool(_CDNA_MATRIX_BUILTIN.search(source))
    has_rdna_matrices = bool(_RDNA_MATRIX_BUILTIN.search(source))
    needs_rdna = has_rdna_matrices and not has_cdna_matrices
    if (
        needs_rdna
        and _names_rdna3(unit_numbers)
        and not _choose_by_numbers(kernel_numbers)
    ):
        return _RDNA3

    # a kernel's own conditions count before those of its helpers
    numbers = kernel_numbers or unit_numbers
    if not numbers and has_cdna_matrices:
        return _CDNA2

    return _choose_by_numbers(numbers) or _NO_ARCHITECTURE


def _choose_by_numbers(numbers: Collection[str]) -> Architecture | None:
    """Return the device that a CPU stands for where these are asked for by name."""
    cdna_numbers = [number for number in numbers if number.startswith(_CDNA_PREFIX)]
    if cdna_numbers:
        is_cdna3 = all(number.startswith(_CDNA3_PREFIXES) for number in cdna_numbers)
        return _CDNA3 if is_cdna3 else _CDNA2

    return _RDNA3 if _names_rdna3(numbers) else None


def _names_rdna3(numbers: Collection[str]) -> bool:
    return any(number.startswith(_RDNA3_PREFIX) for number in numbers)


def _find_kernel_body(source: str, kernel_name: str) -> str:
    """Return the text of the kernel's definition, empty where none is found."""
    name = kernel_name.partition("<")[0].rpartition("::")[2]
    if not name:
        return ""

    for mention in re.finditer(rf"\b{re.escape(name)}\s*\(", source):
        head_begin = max(0, mention.start() - _MAX_HEAD_LENGTH)
        if source.rfind("__global__", head_begin, mention.start()) < 0:
            continue

        limit = mention.end() + _MAX_PARAMETERS_LENGTH
        opening = _BODY_OPENING.match(source, mention.end(), limit)
        if opening is None:
            continue

        closing = closing_in_text(source, opening.end() - 1, pairs=BRACES)
        end = closing + 1 if closing >= 0 else len(source)

        return source[opening.end() : end]

    return ""
