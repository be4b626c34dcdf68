"""Flags for compiling CUDA units with NVIDIA's nvcc."""

from __future__ import annotations

from typing import Final

from crawler.headers import ROOT

_TREES: Final = ("nvcc", "torch")
_LATE: Final = "common"
"""It has headers that NVIDIA's toolkit has, too: they are looked for last."""


def get_nvcc_compile_flags(target: str, standard: str = "c++17") -> tuple[str, ...]:
    """Return the flags that make one cubin for `target`, and have the assembler say what each
    kernel uses.
    """
    return (
        *("-x", "cu", "-cubin", f"-arch={target}", f"-std={standard}", "-O3"),
        *("--expt-relaxed-constexpr", "--extended-lambda", "--resource-usage"),
        *(f"-I{ROOT / tree}" for tree in _TREES),
        *("-Xcompiler", f"-idirafter,{ROOT / _LATE}"),
    )
