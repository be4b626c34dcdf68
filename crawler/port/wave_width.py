"""Infer the wavefront width that a ported kernel expects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from crawler.model import Wave

_OF_A_WARP: Final = re.compile(
    r"__(?:shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)(?:_sync)?"
    r"|__activemask|__syncwarp|thread_block_tile|tiled_partition|coalesced_threads|coalesced_group|binary_partition"
    r"|Warp(?:Reduce|Scan|Exchange|Load|Store|MergeSort)|lane_id|lanemask_\w+|__lane_id"
)
_OF_THE_DEVICE: Final = frozenset(
    {
        "warpSize",
        "__AMDGCN_WAVEFRONT_SIZE",
        "__AMDGCN_WAVEFRONT_SIZE__",
        "WAVEFRONT_SIZE",
    }
)
_ASSUMING: Final = frozenset({"mask_not_literal", "warp_size_assumption"})


def infer_wave_width(names: Iterable[str], warnings: Sequence[tuple[str, int]]) -> Wave:
    """Return what a source expects of the width of a wave, by the names in it, ported or not.

    `warnings` are those of `classify.warnings`: a lane number or a mask that no rule can vouch
    for.
    """
    found = {_mark(name) for name in names}
    if Wave.NATIVE not in found and any(code in _ASSUMING for code, _ in warnings):
        return Wave.THIRTY_TWO
    return next(
        (mark for mark in (Wave.NATIVE, Wave.LOGICAL) if mark in found), Wave.ANY
    )


@lru_cache(maxsize=1 << 16)
def _mark(name: str) -> Wave:
    if name in _OF_THE_DEVICE:
        return Wave.NATIVE
    return Wave.LOGICAL if _OF_A_WARP.fullmatch(name) else Wave.ANY
