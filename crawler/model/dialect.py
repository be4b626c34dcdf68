"""Device dialects: CUDA and HIP."""

from __future__ import annotations

from enum import StrEnum


class Dialect(StrEnum):
    """The language extension that a kernel is written in."""

    CUDA = "cuda"
    HIP = "hip"
