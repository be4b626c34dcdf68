"""What stands in the way of a port, by class and line; and what compiles but may mean something else on AMD."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.port import ptx
from crawler.tokens import Kind, Token, significant

BLOCKING_NAMES: Final = {
    "mma": """wmma nvcuda mma_sync __hmma_m16n16k16_mma_f32f32 ldmatrix wgmma""",
    "async_copy": """__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior memcpy_async cp_async
        cp_async_commit cp_async_wait cuda_pipeline thread_scope_block""",
    "tma_cluster": """__cluster_dims__ this_cluster cluster_group CUtensorMap cluster_dims map_shared_rank
        cudaLaunchAttributeClusterDimension""",
    "dynamic_parallelism": """cudaLaunchDevice cudaGetParameterBuffer cudaStreamFireAndForget""",
    "cutlass": """cutlass cute""",
    "fp4": """__nv_fp4_e2m1 __nv_fp4x2_e2m1 __nv_fp4x4_e2m1 __nv_fp4x2_storage_t""",
}
"""Identifiers that HIP has no like of."""

BLOCKING_HEADERS: Final = {
    "mma.h": "mma",
    "cuda_pipeline.h": "async_copy",
    "cuda_pipeline_primitives.h": "async_copy",
    "cooperative_groups/memcpy_async.h": "async_copy",
    "cuda/pipeline": "async_copy",
    "cuda/barrier": "async_copy",
    "cudaTypedefs.h": "tma_cluster",
    "cuda_fp4.h": "fp4",
    "cuda_texture_types.h": "texture_reference",
    "texture_fetch_functions.h": "texture_reference",
}
BLOCKING_FOLDERS: Final = {"cutlass/": "cutlass", "cute/": "cutlass", "cuda/": "libcudacxx", "nv/": "libcudacxx"}

_NAMES: Final = {name: kind for kind, names in BLOCKING_NAMES.items() for name in names.split()}
_SUSPECT: Final = re.compile(rf"(?:{'|'.join(_NAMES)}|texture|cuda)\Z|__nvvm_|__builtin_nvvm_")
_WARP: Final = re.compile(r"warpSize\Z|__\w+_sync\Z")
_BUILTIN: Final = re.compile(r"__nvvm_\w+|__builtin_nvvm_\w+")
_SYNC: Final = re.compile(r"__(shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)_sync")
_LITERAL_MASK: Final = re.compile(r"0[xX][0-9a-fA-F]+[uUlL]*|-\s*1|~\s*0[uUlL]*|[A-Z_]*MASK[A-Z_]*|UINT_MAX")
_LANE_NUMBERS: Final = frozenset({"31", "32", "0x1f", "0x1F", "31u", "32u"})
_DEVICE: Final = frozenset({"__global__", "__device__"})

Findings = tuple[tuple[str, int], ...]


def blockers(pieces: Sequence[Token]) -> Findings:
    """Return (class, line) of what cannot be ported by rules, in order, each class once a line."""
    visible = significant(pieces)
    suspects = (at for at, token in enumerate(visible) if token.kind is Kind.HEADER or _SUSPECT.match(token.text))
    found = [(kind, visible[at].line) for at in suspects if (kind := _blocking(visible, at))]
    found += ((kind, pieces[each.start].line) for each in ptx.statements(pieces) if (kind := ptx.blocker(each)))
    found += (("dynamic_parallelism", line) for line in _device_launches(visible))
    return tuple(sorted(set(found), key=lambda finding: (finding[1], finding[0])))


def warnings(pieces: Sequence[Token]) -> Findings:
    """Return (class, line) of what compiles for AMD and deserves a second look."""
    visible = significant(pieces)
    suspects = (at for at, token in enumerate(visible) if token.text in _LANE_NUMBERS or _WARP.match(token.text))
    found = {(kind, visible[at].line) for at in suspects if (kind := _doubtful(visible, at))}
    return tuple(sorted(found, key=lambda finding: (finding[1], finding[0])))


def _blocking(visible: Sequence[Token], index: int) -> str:
    token = visible[index]
    if token.kind is Kind.HEADER:
        inner = token.text[1:-1]
        folder = next((kind for prefix, kind in BLOCKING_FOLDERS.items() if inner.startswith(prefix)), "")
        return BLOCKING_HEADERS.get(inner) or folder
    if token.kind is not Kind.NAME or _text(visible, index - 1) in (".", "->"):
        return ""
    following = _text(visible, index + 1)
    if token.text == "texture" and following == "<" and _text(visible, index - 1) != "::":
        return "texture_reference"
    if token.text in ("cutlass", "cute", "nvcuda") and following != "::":
        return ""
    if token.text == "cuda" and following == "::" and _text(visible, index - 1) != "::":
        return "libcudacxx"
    return _NAMES.get(token.text) or ("nvvm_builtin" if _BUILTIN.fullmatch(token.text) else "")


def _doubtful(visible: Sequence[Token], index: int) -> str:
    token = visible[index]
    if token.kind is Kind.NAME and _SYNC.fullmatch(token.text):
        return "" if _is_literal_mask(visible, index) else "mask_not_literal"
    if token.kind is Kind.NAME and token.text == "warpSize":
        return "warp_size_assumption"
    if token.kind is Kind.NUMBER and token.text in _LANE_NUMBERS and _text(visible, index - 1) in ("%", "&", "/"):
        return "warp_size_assumption" if "threadIdx" in {_text(visible, index - back) for back in (2, 3, 4)} else ""
    return ""


def _is_literal_mask(visible: Sequence[Token], index: int) -> bool:
    if _text(visible, index + 1) != "(":
        return True
    argument = ""
    for token in visible[index + 2 : index + 6]:
        if token.text == ",":
            return bool(_LITERAL_MASK.fullmatch(argument))
        argument += token.text
    return False


def _device_launches(visible: Sequence[Token]) -> list[int]:
    """Return the lines of `<<<` inside the body of a device function."""
    lines = []
    depth, body_depth, awaiting = 0, -1, False
    for token in visible:
        if token.kind is Kind.NAME and token.text in _DEVICE and body_depth < 0:
            awaiting = True
        if token.kind is not Kind.PUNCTUATION:
            continue
        if token.text == "{":
            depth += 1
            if awaiting:
                body_depth, awaiting = depth, False
        elif token.text == "}":
            if depth == body_depth:
                body_depth = -1
            depth -= 1
        elif token.text == ";" and body_depth < 0:
            awaiting = False
        elif token.text == "<<<" and body_depth >= 0:
            lines.append(token.line)
    return lines


def _text(visible: Sequence[Token], index: int) -> str:
    return visible[index].text if 0 <= index < len(visible) else ""
