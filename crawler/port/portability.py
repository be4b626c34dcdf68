"""On which widths of a wave a ported kernel means the same: AMD's CDNA has 64 lanes, RDNA 32, and CUDA always 32."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.model import Wave
from crawler.tokens import Kind, Token

_OF_A_WARP: Final = re.compile(
    r"__(?:shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)(?:_sync)?"
    r"|__activemask|__syncwarp|thread_block_tile|tiled_partition|coalesced_threads|coalesced_group|binary_partition"
    r"|Warp(?:Reduce|Scan|Exchange|Load|Store|MergeSort)|lane_id|lanemask_\w+|__lane_id"
)
_OF_THE_DEVICE: Final = frozenset(
    {"warpSize", "__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__", "WAVEFRONT_SIZE"}
)
_ASSUMING: Final = frozenset({"mask_not_literal", "warp_size_assumption"})


def wave(visible: Sequence[Token], warnings: Sequence[tuple[str, int]]) -> Wave:
    """Return what a source expects of the width of a wave, by its tokens without blanks and comments, ported or not.

    `warnings` are those of `classify.warnings`: a lane number or a mask that no rule can vouch for.
    """
    names = {token.text for token in visible if token.kind is Kind.NAME}
    adapts = bool(names & _OF_THE_DEVICE)
    if not adapts and any(code in _ASSUMING for code, _ in warnings):
        return Wave.THIRTY_TWO
    if adapts:
        return Wave.NATIVE
    return Wave.LOGICAL if any(map(_OF_A_WARP.fullmatch, names)) else Wave.ANY
