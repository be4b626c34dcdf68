"""Find constructs that block a port, and constructs that may behave differently on AMD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from crawler.cpp.identifiers import is_word_character
from crawler.cpp.masked_source import (
    WHITESPACE_PATTERN,
    MaskedSource,
)
from crawler.hip import preprocessor_branches
from crawler.ptx import translation
from crawler.ptx.inline_assembly import find_assembly_statements

BLOCKING_NAMES: Final = {
    "mma": """nvcuda mma_sync __hmma_m16n16k16_mma_f32f32""",
    "async_copy": """__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior memcpy_async cuda_pipeline""",
    "tma_cluster": """__cluster_dims__ this_cluster cluster_group cluster_dims map_shared_rank
        cuTensorMapEncodeTiled cuTensorMapEncodeIm2col
        cudaLaunchAttributeClusterDimension""",
    "dynamic_parallelism": """cudaLaunchDevice cudaGetParameterBuffer cudaStreamFireAndForget""",
    "cutlass": """cutlass cute""",
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
    "cuda_texture_types.h": "texture_reference",
    "texture_fetch_functions.h": "texture_reference",
}
BLOCKING_HEADER_FOLDERS: Final = {
    "cutlass/": "cutlass",
    "cute/": "cutlass",
    "cuda/": "libcudacxx",
    "nv/": "libcudacxx",
}

_OF_SOURCES: Final = frozenset(BLOCKING_NAMES["cutlass"].split())
_NAMES: Final = {
    name: kind for kind, names in BLOCKING_NAMES.items() for name in names.split()
}
_BUILTIN: Final = re.compile(r"__nvvm_\w+|__builtin_nvvm_\w+")
_SYNC: Final = re.compile(
    r"__(shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)_sync"
)
_MASK: Final = rf"0[xX][0-9a-fA-F]+[uUlL]*|-{WHITESPACE_PATTERN}1|~{WHITESPACE_PATTERN}0[uUlL]*|[A-Z_]*MASK[A-Z_]*|UINT_MAX"
_LITERAL_MASK: Final = re.compile(
    rf"{WHITESPACE_PATTERN}(?:[^( \t\r\n\f\v]|\Z|\({WHITESPACE_PATTERN}(?:{_MASK}){WHITESPACE_PATTERN},)"
)
"""No call at all, or a call with a mask that says what it is."""
_BEFORE_A_CALL: Final = frozenset({"return", "else", "do", "case"})
_UNLIKE_STD: Final = frozenset(
    {"cuda/std/atomic", "cuda/std/barrier", "cuda/std/latch", "cuda/std/semaphore"}
)
_STANDARD: Final = re.compile(
    rf"cuda{WHITESPACE_PATTERN}::{WHITESPACE_PATTERN}(?:(?:maximum|minimum)\b"
    rf"|std{WHITESPACE_PATTERN}::{WHITESPACE_PATTERN}(?!atomic|barrier|latch|counting_semaphore|binary_semaphore))"
)
"""What of libcu++ is the standard library by another name."""
_LANE: Final = re.compile(
    rf"[%&/](?={WHITESPACE_PATTERN}(?:31u?|32u?|0x1[fF])(?![\w.']))"
)
_SCOPES: Final = re.compile(r"[{};]|<<<|\b(?:__global__|__device__)\b")

Findings = tuple[tuple[str, int], ...]


def find_blockers(source: MaskedSource, *, is_whole_file: bool = True) -> Findings:
    """Return (class, line) of what cannot be ported by rules, in order, each class once a line.

    What stands in a branch that AMD's compiler never sees blocks nothing; `is_whole_file` is as
    for `rewrite`.
    """
    own = frozenset() if is_whole_file else _opened(source)
    found = [
        (kind, at)
        for word in source.words - own
        if _class_of(word)
        for kind, at in _blocking(source, word)
    ]
    found += (
        (kind, at)
        for at, end in source.header_ranges
        if (kind := _class_of_header(source.text[at + 1 : end - 1]))
    )
    found += (
        (kind, each.start)
        for each in find_assembly_statements(source)
        if (kind := translation.classify_blocker(each))
    )
    if "<<<" in source.code:
        found += (("dynamic_parallelism", at) for at in _device_launches(source.code))
    if found and "#" in source.code:
        found = list(
            preprocessor_branches.exclude_ranges(
                preprocessor_branches.find_dead_ranges(
                    source, is_whole_file=is_whole_file
                ),
                found,
            )
        )
    return _lines(source, found)


def find_warnings(source: MaskedSource) -> Findings:
    """Return (class, line) of what compiles for AMD and deserves a second look."""
    found = [("warp_size_assumption", at) for at in _lane_numbers(source)]
    for word in filter(_is_of_a_warp, source.words):
        for at in source.find_word_offsets(word):
            if word == "warpSize":
                found.append(("warp_size_assumption", at))
            elif not _LITERAL_MASK.match(source.code, at + len(word)):
                found.append(("mask_not_literal", at))
    return _lines(source, found)


def _lines(seen: MaskedSource, found: list[tuple[str, int]]) -> Findings:
    lines = {(kind, seen.line_number(at)) for kind, at in found}
    return tuple(sorted(lines, key=lambda finding: (finding[1], finding[0])))


@lru_cache(maxsize=1 << 16)
def _class_of(word: str) -> str:
    own = {"texture": "texture_reference", "cuda": "libcudacxx"}
    return (
        _NAMES.get(word)
        or own.get(word, "")
        or ("nvvm_builtin" if _BUILTIN.fullmatch(word) else "")
    )


def _class_of_header(header: str) -> str:
    if (
        header.startswith("cuda/std/") and header not in _UNLIKE_STD
    ) or header == "cuda/functional":
        return ""
    folder = next(
        (
            kind
            for prefix, kind in BLOCKING_HEADER_FOLDERS.items()
            if header.startswith(prefix)
        ),
        "",
    )
    return BLOCKING_HEADERS.get(header) or folder


def _opened(seen: MaskedSource) -> frozenset[str]:
    """Return the libraries of sources alone that a unit brings along: what of them cannot be
    ported stands in it.
    """
    named = (word for word in _OF_SOURCES if word in seen.words)
    return frozenset(
        word
        for word in named
        if any(
            seen.token_before(at)[1] == "namespace"
            for at in seen.find_word_offsets(word)
        )
    )


@lru_cache(maxsize=1 << 16)
def _is_of_a_warp(word: str) -> bool:
    return word == "warpSize" or _SYNC.fullmatch(word) is not None


def _blocking(seen: MaskedSource, word: str) -> Iterator[tuple[str, int]]:
    for at in seen.find_word_offsets(word):
        before, behind = (
            seen.token_before(at)[1],
            seen.token_start_after(at + len(word)),
        )
        if before in (".", "->"):
            continue
        if word == "texture" and (behind != "<" or before == "::"):
            continue
        if word in ("cutlass", "cute", "nvcuda", "cuda") and behind != "::":
            continue
        if (
            word.startswith("__nvvm_")
            and behind == "("
            and is_word_character(before[-1:])
            and before not in _BEFORE_A_CALL
        ):
            continue  # a declaration: it is the use that HIP has nothing for
        if word == "cuda" and (before == "::" or _STANDARD.match(seen.code, at)):
            continue
        yield _class_of(word), at


def _lane_numbers(seen: MaskedSource) -> Iterator[int]:
    """Yield where the thread's number is taken modulo, or divided by, the lanes of a warp."""
    if "threadIdx" not in seen.words:
        return
    for sign in _LANE.finditer(seen.code):
        at, near = sign.start(), set()
        for _ in range(3):
            at, token = seen.token_before(at)
            near.add(token)
        if "threadIdx" in near:
            yield sign.start()


def _device_launches(code: str) -> Iterator[int]:
    """Yield where `<<<` stands inside the body of a device function."""
    depth, body_depth, awaiting = 0, -1, False
    for found in _SCOPES.finditer(code):
        sign = found[0]
        if sign == "{":
            depth += 1
            if awaiting:
                body_depth, awaiting = depth, False
        elif sign == "}":
            body_depth = -1 if depth == body_depth else body_depth
            depth -= 1
        elif sign == "<<<":
            if body_depth >= 0:
                yield found.start()
        elif body_depth < 0:
            awaiting = sign != ";"
