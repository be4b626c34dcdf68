"""Flags for compiling CUDA units with NVIDIA's nvcc."""

from __future__ import annotations

from typing import Final

from crawler.headers import ROOT

_TREES: Final = ("nvcc", "torch")
_LAST_TREE: Final = "common"
"""It also has headers that NVIDIA's toolkit has: it is searched last."""


def get_nvcc_compile_flags(target: str, standard: str = "c++17") -> tuple[str, ...]:
    """Return the flags that make one cubin for `target`, and report each kernel's resources."""
    includes = [f"-I{ROOT / tree}" for tree in _TREES]
    return (
        "-x",
        "cu",
        "-cubin",
        f"-arch={target}",
        f"-std={standard}",
        "-O3",
        "--expt-relaxed-constexpr",
        "--extended-lambda",
        "--resource-usage",
        *includes,
        "-Xcompiler",
        f"-idirafter,{ROOT / _LAST_TREE}",
    )
