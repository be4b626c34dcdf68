"""Paths inside the sandbox at which builds find sources, recorders and toolkits."""

from __future__ import annotations

from typing import Final

SOURCE_MOUNT: Final = "/src"
"""The checkout."""
BUILD_MOUNT: Final = "/build"
"""The build folder of a configure run that keeps out of its sources."""
STUBS_MOUNT: Final = "/stubs"
"""Programs that record how they are called."""
RECORD_MOUNT: Final = "/record"
"""Where those programs write their records."""
CUDA_HOME: Final = "/opt/cuda"
"""The stand-in CUDA toolkit."""
ROCM_HOME: Final = "/opt/rocm"
"""The stand-in ROCm installation."""
