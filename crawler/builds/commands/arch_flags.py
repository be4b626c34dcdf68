"""Offload archs named by the flags of a compiler command line."""

from __future__ import annotations

import re
from typing import Final

# fmt: off
ARCH_FLAGS: Final = frozenset({
    # nvcc and nvc++
    "-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gpu",
    # clang and hipcc
    "--offload-arch", "-offload-arch", "--cuda-gpu-arch", "--amdgpu-target", "-amdgpu-target",
})
# fmt: on
MAX_ARCHS: Final = 64
ASSUMED_CUDA_ARCH: Final = "80"
"""What a project is configured for where it does not name an arch itself."""
ASSUMED_HIP_ARCH: Final = "gfx90a"
# the value of a flag, which may name several
_REAL_ARCH: Final = re.compile(
    r"(?<![a-z\d])(?:sm_(\d{2,3}[af]?)|(gfx[\da-f]{3,5}|gfx[\d-]{1,8}-generic))(?![a-z\d])"
)
_VIRTUAL_ARCH: Final = re.compile(
    r"(?<![a-z\d])(?:compute_|cc|lto_)(\d{2,3}[af]?)(?![a-z\d])"
)


def parse_offload_archs(value: str) -> tuple[str, ...]:
    """Return the archs of a flag's value; virtual ones count where no real one is named.

    `arch=compute_80,code=sm_86` gives `sm_86`, `compute_80` alone gives `sm_80`.
    """
    archs = []
    for cuda_number, hip_name in _REAL_ARCH.findall(value):
        archs.append(f"sm_{cuda_number}" if cuda_number else hip_name)

    if not archs:
        archs = [f"sm_{number}" for number in _VIRTUAL_ARCH.findall(value)]

    return tuple(dict.fromkeys(archs))


def drop_assumed_archs(named_archs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the archs of a project that we configured, none if there are only assumed ones."""
    assumed_archs = {f"sm_{ASSUMED_CUDA_ARCH}", ASSUMED_HIP_ARCH}
    return () if assumed_archs.issuperset(named_archs) else named_archs
