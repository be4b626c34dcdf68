"""Known kernel whose launch shows whether a device still works."""

from __future__ import annotations

import hashlib
from functools import cache

from crawler import headers
from crawler.model import Dialect, KernelUnit
from crawler.validate.build import build_unit

HEALTH_SYMBOL = "_Z16kernelset_healthPj"
_PRELUDES = {Dialect.CUDA: "kernelset/cuda.cuh", Dialect.HIP: "kernelset/hip.h"}
_SOURCE = (
    "__global__ void kernelset_health(unsigned* words) { words[threadIdx.x] += 1; }\n"
)


@cache
def compile_health_kernel(dialect: Dialect, target: str) -> bytes:
    """Return the kernel compiled for `target`; empty where no compiler here does so."""
    return build_unit(health_unit(dialect), target).object


def health_unit(dialect: Dialect) -> KernelUnit:
    """Return the kernel's source as a unit."""
    source = f"#include <{_PRELUDES[dialect]}>\n{_SOURCE}"
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="kernelset_health",
        instantiations=(),
        prelude=headers.headers_digest(),
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )
