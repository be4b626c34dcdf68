"""Offload archs named by the flags of a compiler command line."""

from __future__ import annotations

import re
from typing import Final

ARCH_FLAGS: Final = frozenset(
    {
        "-gencode",
        "--generate-code",
        "-arch",
        "--gpu-architecture",
        "-code",
        "--gpu-code",
        "-gpu",
    }
    | {
        "--offload-arch",
        "-offload-arch",
        "--cuda-gpu-arch",
        "--amdgpu-target",
        "-amdgpu-target",
    }
)
MAX_ARCHS: Final = 64
ASSUMED_CUDA_ARCH: Final = "80"
ASSUMED_HIP_ARCH: Final = "gfx90a"
"""What a project is configured for where it does not say it itself."""
_REAL: Final = re.compile(
    r"(?<![a-z\d])(?:sm_(\d{2,3}[af]?)|(gfx[\da-f]{3,5}|gfx[\d-]{1,8}-generic))(?![a-z\d])"
)
_VIRTUAL: Final = re.compile(
    r"(?<![a-z\d])(?:compute_|cc|lto_)(\d{2,3}[af]?)(?![a-z\d])"
)


def parse_offload_archs(value: str) -> tuple[str, ...]:
    """Return the archs of a flag's value; a virtual one counts where no real one is named
    beside it.
    """
    real = [f"sm_{number}" if number else name for number, name in _REAL.findall(value)]
    return tuple(
        dict.fromkeys(real or (f"sm_{number}" for number in _VIRTUAL.findall(value)))
    )


def drop_assumed_archs(named_archs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the archs of a project that we configured: what we assumed alone is none of its
    words.
    """
    return (
        ()
        if set(named_archs) <= {f"sm_{ASSUMED_CUDA_ARCH}", ASSUMED_HIP_ARCH}
        else named_archs
    )
