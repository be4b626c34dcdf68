"""Find constructs that block a port, and constructs that may behave differently on AMD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from crawler.cpp.identifiers import is_word_character
from crawler.cpp.masked.masked_source import (
    WHITESPACE_PATTERN,
    MaskedSource,
)
from crawler.hip import preprocessor_branches
from crawler.ptx.inline_assembly import (
    find_assembly_statements,
    find_nested_statements,
)
from crawler.ptx.translation import classify_blocker

BLOCKING_NAMES: Final = {
    "mma": """nvcuda mma_sync __hmma_m16n16k16_mma_f32f32""",
    "async_copy": """__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior memcpy_async
        cuda_pipeline""",
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

_SOURCE_LIBRARIES: Final = frozenset(BLOCKING_NAMES["cutlass"].split())
_BLOCKERS_BY_NAME: Final = {
    name: blocker for blocker, names in BLOCKING_NAMES.items() for name in names.split()
} | {"texture": "texture_reference", "cuda": "libcudacxx"}
_NAMESPACES: Final = frozenset({"cutlass", "cute", "nvcuda", "cuda"})

# What follows is looked for in masked code: the findings have a line and no more, and a source
# may be of any size and state.
_NVVM_BUILTIN: Final = re.compile(r"__nvvm_\w+|__builtin_nvvm_\w+")
_SYNC_FUNCTION: Final = re.compile(
    r"__(shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all|match_any|match_all|reduce_\w+)_sync"
)
_LITERAL_MASK: Final = (
    rf"0[xX][0-9a-fA-F]+[uUlL]*|-{WHITESPACE_PATTERN}1|~{WHITESPACE_PATTERN}0[uUlL]*"
    r"|[A-Z_]*MASK[A-Z_]*|UINT_MAX"
)
_NO_CALL_OR_LITERAL_MASK: Final = re.compile(
    rf"{WHITESPACE_PATTERN}(?:[^( \t\r\n\f\v]|\Z"
    rf"|\({WHITESPACE_PATTERN}(?:{_LITERAL_MASK}){WHITESPACE_PATTERN},)"
)
"""No call at all, or a call with a mask that says what it is."""
_BEFORE_A_CALL: Final = frozenset({"return", "else", "do", "case"})
_HEADERS_UNLIKE_STD: Final = frozenset(
    {"cuda/std/atomic", "cuda/std/barrier", "cuda/std/latch", "cuda/std/semaphore"}
)
_STANDARD_BY_ANOTHER_NAME: Final = re.compile(
    rf"cuda{WHITESPACE_PATTERN}::{WHITESPACE_PATTERN}(?:(?:maximum|minimum)\b"
    rf"|std{WHITESPACE_PATTERN}::{WHITESPACE_PATTERN}"
    r"(?!atomic|barrier|latch|counting_semaphore|binary_semaphore))"
)
"""What of libcu++ is the standard library by another name."""
# masked code, too: an operator with the width of a warp behind it
_LANE_ARITHMETIC: Final = re.compile(
    rf"[%&/](?={WHITESPACE_PATTERN}(?:31u?|32u?|0x1[fF])(?![\w.']))"
)
_TOKENS_BEFORE_LANE: Final = 3
"""Within these stands `threadIdx`, as in `threadIdx.x % 32`."""
# masked code: launches, and the braces and specifiers that say what they stand in
_SCOPE_SIGNS: Final = re.compile(r"[{};]|<<<|\b(?:__global__|__device__)\b")

Findings = tuple[tuple[str, int], ...]
"""Class and line of each."""
_Place = tuple[str, int]
"""Class and offset of a finding."""


def find_blockers(source: MaskedSource, *, is_whole_file: bool = True) -> Findings:
    """Return (class, line) of what cannot be ported by rules, in order, each class once a line.

    What stands in a branch that AMD's compiler never sees blocks nothing; `is_whole_file` is as
    for `rewrite_to_hip`.
    """
    places = [
        *_find_blocking_names(source, is_whole_file=is_whole_file),
        *_find_blocking_headers(source),
        *_find_blocking_assembly(source),
    ]
    if "<<<" in source.code:
        launches = _find_device_launches(source.code)
        places += [("dynamic_parallelism", offset) for offset in launches]

    if places and "#" in source.code:
        dead_ranges = preprocessor_branches.find_dead_ranges(
            source, is_whole_file=is_whole_file
        )
        places = list(preprocessor_branches.exclude_ranges(dead_ranges, places))

    return _to_findings(source, places)


def find_warnings(source: MaskedSource) -> Findings:
    """Return (class, line) of what compiles for AMD and deserves a second look."""
    places = [
        ("warp_size_assumption", offset) for offset in _find_lane_arithmetic(source)
    ]
    for word in filter(_depends_on_warp, source.words):
        for offset in source.find_word_offsets(word):
            if word == "warpSize":
                places.append(("warp_size_assumption", offset))
            elif not _NO_CALL_OR_LITERAL_MASK.match(source.code, offset + len(word)):
                places.append(("mask_not_literal", offset))

    return _to_findings(source, places)


def _to_findings(source: MaskedSource, places: Iterable[_Place]) -> Findings:
    lines = {(kind, source.line_number(offset)) for kind, offset in places}
    return tuple(sorted(lines, key=lambda finding: (finding[1], finding[0])))


def _find_blocking_names(
    source: MaskedSource, *, is_whole_file: bool
) -> Iterator[_Place]:
    own_libraries = frozenset() if is_whole_file else _list_own_libraries(source)
    for word in source.words - own_libraries:
        blocker = _classify_name(word)
        if not blocker:
            continue

        for offset in source.find_word_offsets(word):
            if _blocks(source, word, offset):
                yield blocker, offset


@lru_cache(maxsize=1 << 16)
def _classify_name(word: str) -> str:
    if word in _BLOCKERS_BY_NAME:
        return _BLOCKERS_BY_NAME[word]

    return "nvvm_builtin" if _NVVM_BUILTIN.fullmatch(word) else ""


def _list_own_libraries(source: MaskedSource) -> frozenset[str]:
    """Return the libraries of sources alone that a unit brings along: what of them cannot be
    ported stands in it.
    """
    own_libraries = set()
    for library in _SOURCE_LIBRARIES & source.words:
        for offset in source.find_word_offsets(library):
            if source.token_before(offset)[1] == "namespace":
                own_libraries.add(library)

    return frozenset(own_libraries)


def _blocks(source: MaskedSource, word: str, offset: int) -> bool:
    """Tell whether a name means what its table says at this place."""
    _, previous = source.token_before(offset)
    following = source.token_start_after(offset + len(word))
    if previous in (".", "->"):
        return False
    if word in _NAMESPACES and following != "::":
        return False
    if word == "texture":
        return following == "<" and previous != "::"
    if word == "cuda":
        is_nested = source.has_qualifier(offset)
        return not is_nested and not _STANDARD_BY_ANOTHER_NAME.match(
            source.code, offset
        )
    if word.startswith("__nvvm_") and following == "(":
        # Behind a type it is a declaration: it is the use that HIP has nothing for.
        is_name_before = is_word_character(previous[-1:])
        return not is_name_before or previous in _BEFORE_A_CALL

    return True


def _find_blocking_headers(source: MaskedSource) -> Iterator[_Place]:
    for start, end in source.header_ranges:
        blocker = _classify_header(source.text[start + 1 : end - 1])
        if blocker:
            yield blocker, start


def _classify_header(header: str) -> str:
    if header == "cuda/functional":
        return ""
    if header.startswith("cuda/std/") and header not in _HEADERS_UNLIKE_STD:
        return ""
    if header in BLOCKING_HEADERS:
        return BLOCKING_HEADERS[header]

    for folder, blocker in BLOCKING_HEADER_FOLDERS.items():
        if header.startswith(folder):
            return blocker

    return ""


def _find_blocking_assembly(source: MaskedSource) -> Iterator[_Place]:
    for assembly in find_assembly_statements(source):
        for statement in (assembly, *find_nested_statements(assembly)):
            blocker = classify_blocker(statement)
            if blocker:
                yield blocker, assembly.start


@lru_cache(maxsize=1 << 16)
def _depends_on_warp(word: str) -> bool:
    return word == "warpSize" or _SYNC_FUNCTION.fullmatch(word) is not None


def _find_lane_arithmetic(source: MaskedSource) -> Iterator[int]:
    """Yield where the thread's number is taken modulo, or divided by, the lanes of a warp."""
    if "threadIdx" not in source.words:
        return

    for sign in _LANE_ARITHMETIC.finditer(source.code):
        offset = sign.start()
        for _ in range(_TOKENS_BEFORE_LANE):
            offset, word = source.token_before(offset)
            if word == "threadIdx":
                yield sign.start()
                break


def _find_device_launches(code: str) -> Iterator[int]:
    """Yield where `<<<` stands inside the body of a device function."""
    depth = 0
    body_depth = -1
    awaits_body = False
    for match in _SCOPE_SIGNS.finditer(code):
        sign = match[0]
        if sign == "{":
            depth += 1
            if awaits_body:
                body_depth = depth
                awaits_body = False
        elif sign == "}":
            if depth == body_depth:
                body_depth = -1

            # e.g. each of two branches of the preprocessor may close the same brace
            depth = max(0, depth - 1)
        elif sign == "<<<":
            if body_depth >= 0:
                yield match.start()
        elif body_depth < 0:
            # A specifier announces a body, and the `;` of a declaration calls it off.
            awaits_body = sign != ";"
