"""Count the names of CUDA's and of HIP's runtime and libraries in a source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# text without comments: only the count of names matters, so none need be whole
_CUDA_NAME: Final = re.compile(
    r"cu(?:da[A-Z]|blas[A-Z]|rand[A-Z_]|sparse[A-Z]|fft[A-Z]|solver[A-Z]|dnn[A-Z]|b::)"
)
_HIP_NAME: Final = re.compile(
    r"hip(?:[A-Z]|blas[A-Z]|rand[A-Z_]|sparse[A-Z]|fft[A-Z]|cub::)"
    r"|__builtin_amdgcn_|__gfx\d"
)
_AMD_BUILTIN: Final = "__builtin_amdgcn_"
# Branches are read line by line here, since the lines themselves are counted in: neither side
# is known to be compiled.
_BRANCH: Final = re.compile(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif)\b")
_HIP_CONDITION: Final = re.compile(r"HIP|ROCM|__AMD")
_CUDA_CONDITION: Final = re.compile(r"CUDA|NVCC")
_NEGATION: Final = re.compile(r"ifndef|!")

_HIP_ONLY: Final = 1
_EITHER: Final = 0
_NOT_HIP: Final = -1


def count_runtime_names(text: str) -> tuple[int, int]:
    """Count the names of CUDA and of HIP in a text without comments.

    Lines under conditions that HIP alone fulfils count only where no other line has any name.
    No compiler for CUDA knows AMD's builtins: where one stands outside such conditions, no
    name of CUDA counts, since sources that a build translates speak CUDA to the host.
    """
    # most sources name one runtime only
    counts = _count_names(text)
    if 0 in counts:
        return counts

    shared_text = "\n".join(_iter_shared_lines(text))
    if _AMD_BUILTIN in shared_text:
        return 0, counts[1]

    shared_counts = _count_names(shared_text)
    return shared_counts if any(shared_counts) else counts


def _count_names(text: str) -> tuple[int, int]:
    cuda_names = _CUDA_NAME.findall(text)
    hip_names = _HIP_NAME.findall(text)

    # #include <cuda_runtime.h>, #include <hip/hip_runtime.h>
    cuda_includes = text.count("<cuda")
    hip_includes = text.count("<hip/")

    return len(cuda_names) + cuda_includes, len(hip_names) + hip_includes


def _iter_shared_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not under a condition on HIP alone."""
    open_branches: list[int] = []
    for line in text.split("\n"):
        directive = _BRANCH.match(line)
        if directive is None:
            if _HIP_ONLY not in open_branches:
                yield line

            continue

        word = directive["word"]
        if word.startswith("if"):
            open_branches.append(_classify_condition(line))
        elif open_branches:
            branch = open_branches.pop()
            if word == "else":
                # the contrary of `#ifndef USE_ROCM` is what HIP alone fulfils
                open_branches.append(-branch)
            elif word == "elif":
                open_branches.append(_classify_condition(line))


def _classify_condition(condition: str) -> int:
    """Return which runtime a condition asks for: HIP alone, all but HIP, or either."""
    if not _HIP_CONDITION.search(condition) or _CUDA_CONDITION.search(condition):
        return _EITHER

    return _NOT_HIP if _NEGATION.search(condition) else _HIP_ONLY
