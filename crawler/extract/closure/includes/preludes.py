"""Choose the prelude of a kernel unit: the device's language alone, or with PyTorch."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from crawler.model import Dialect

_PRELUDES: Final = {
    Dialect.CUDA: ("cuda.cuh", "torch.cuh", "torch_parse.cuh"),
    Dialect.HIP: ("hip.h", "torch.hip.h", "torch_parse.hip.h"),
}
"""Preludes without PyTorch, with what devices have of it, and with its host types too."""
_TORCH_WORDS: Final = frozenset(
    {
        "at",
        "c10",
        "torch",
        "gpuAtomicAdd",
        "CUDA_KERNEL_LOOP",
        "CUDA_KERNEL_LOOP_TYPE",
        "C10_HOST_DEVICE",
    }
)
_TORCH_PREFIXES: Final = (
    "C10_",
    "TORCH_",
    "STD_TORCH_",
    "AT_",
    "WARP_SHFL",
    "WARP_BALLOT",
    "gpuAtomic",
    "CUDA_KERNEL_ASSERT",
)
_TORCH_HOST_WORDS: Final = frozenset(
    {
        "Tensor",
        "TensorOptions",
        "ScalarType",
        "IntArrayRef",
        "CUDAStream",
        "getCurrentCUDAStream",
        "TORCH_CHECK",
        "STD_TORCH_CHECK",
    }
)


def select_prelude(words: Collection[str], dialect: Dialect) -> str:
    """Return the header that a unit which uses `words` begins with."""
    plain, torch, torch_with_host = _PRELUDES[dialect]
    has_torch = any(
        word in _TORCH_WORDS or word.startswith(_TORCH_PREFIXES) for word in words
    )

    if not has_torch:
        return f"<kernelset/{plain}>"

    has_host_types = not _TORCH_HOST_WORDS.isdisjoint(words)

    return f"<kernelset/{torch_with_host if has_host_types else torch}>"
