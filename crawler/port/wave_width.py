"""Infer the wavefront width that a ported kernel expects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from crawler.model import Wave

# names of what works on the lanes of a wave
_WARP_NAMES: Final = re.compile(
    r"__(?:shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)(?:_sync)?"
    r"|__activemask|__syncwarp|thread_block_tile|tiled_partition|coalesced_threads"
    r"|coalesced_group|binary_partition"
    r"|Warp(?:Reduce|Scan|Exchange|Load|Store|MergeSort)|lane_id|lanemask_\w+|__lane_id"
)
_DEVICE_WIDTH_NAMES: Final = frozenset(
    {
        "warpSize",
        "__AMDGCN_WAVEFRONT_SIZE",
        "__AMDGCN_WAVEFRONT_SIZE__",
        "WAVEFRONT_SIZE",
    }
)
_WIDTH_WARNINGS: Final = frozenset({"mask_not_literal", "warp_size_assumption"})


def infer_wave_width(names: Iterable[str], warnings: Sequence[tuple[str, int]]) -> Wave:
    """Return what a source expects of the width of a wave, by the names in it, ported or not.

    `warnings` are those of `findings.find_warnings`: a lane number or a mask that no rule can
    vouch for.
    """
    widths = {_width_of_name(name) for name in names}
    if Wave.NATIVE in widths:
        return Wave.NATIVE

    warning_classes = {warning for warning, _ in warnings}
    if warning_classes & _WIDTH_WARNINGS:
        return Wave.THIRTY_TWO
    if Wave.LOGICAL in widths:
        return Wave.LOGICAL
    return Wave.ANY


@lru_cache(maxsize=1 << 16)
def _width_of_name(name: str) -> Wave:
    if name in _DEVICE_WIDTH_NAMES:
        return Wave.NATIVE

    if _WARP_NAMES.fullmatch(name):
        return Wave.LOGICAL
    return Wave.ANY
