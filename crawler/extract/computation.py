"""The class of computation that a kernel is most likely of, and the evidence for it in its text and names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.extract.measures import without_comments
from crawler.model import Kernel

UNKNOWN: Final = "other"
_IN_CODE: Final = 2
_IN_NAME: Final = 3
_ENOUGH: Final = 2
_NAMES: Final = (
    ("matrix-product", re.compile(r"gemm|gemv|matmul|(?:^|_)b?mm(?:_|$)|mat_?mul|wmma|mfma|outer_?product")),
    ("convolution", re.compile(r"conv(?!ert|ex)|im2col|col2im")),
    ("sort", re.compile(r"sort|top_?k|bitonic|radix")),
    ("scan", re.compile(r"(?:^|_)scan|cum_?sum|prefix|cum_?prod")),
    ("histogram", re.compile(r"histogram|bin_?count|(?:^|_)hist(?:_|$)")),
    ("attention", re.compile(r"attention|attn|flash_?(?:fwd|bwd)|mha(?:_|$)")),
    ("normalisation", re.compile(r"norm(?:_|$|alize|alise)|soft_?max")),
    ("reduction", re.compile(r"reduc|(?:^|_)(?:sum|mean|max|min|norm|dot|loss)(?:_|$)|arg_?(?:max|min)")),
    ("gather-scatter", re.compile(r"gather|scatter|(?:^|_)index|embedding|lookup|permute|unpack|group_points")),
    ("stencil", re.compile(r"stencil|pool|blur|filter|laplac|sobel|resiz|interpol|grid_sampl|roi_|align")),
    ("random", re.compile(r"rand(?:om|_|$)|dropout|curand|philox")),
    ("sparse", re.compile(r"spmm|spmv|csr|coo(?:_|$)|sparse")),
    ("quantisation", re.compile(r"quant|dequant|fp8|int4|int8|awq|gptq")),
    (
        "elementwise",
        re.compile(
            r"elementwise|element_wise|pointwise|activation|relu|gelu|silu|sigmoid|(?:^|_)fill|(?:^|_)copy|cast"
        ),
    ),
)
_CODE: Final = (
    (
        "matrix-product",
        re.compile(r"\bwmma\b|\bmma_sync\b|mma\.sync|\bwgmma\b|__builtin_amdgcn_mfma"),
        "matrix instructions",
    ),
    (
        "matrix-product",
        re.compile(r"\+=\s*\w+\[[^;=]*\]\s*\*\s*\w+\["),
        "accumulates a product of two subscripted values",
    ),
    ("sort", re.compile(r"\bBlockRadixSort\b|\bBlockMergeSort\b|\bsort(?:_by_key)?\s*\("), "calls a sort"),
    ("scan", re.compile(r"\bBlockScan\b|\bWarpScan\b|\b(?:In|Ex)clusive(?:Sum|Scan)\b"), "calls a scan"),
    (
        "reduction",
        re.compile(r"\bBlockReduce\b|\bWarpReduce\b|\b(?:block|warp)_?reduce\w*\s*[<(]", re.IGNORECASE),
        "calls a reduction",
    ),
    ("reduction", re.compile(r"__shfl_(?:down|xor)"), "exchanges within a warp"),
    (
        "reduction",
        re.compile(r"(?:>>=\s*1|/=\s*2|>>\s*1)[^{}]*\)\s*\{?[^}]*__shared__|(?:>>=\s*1|/=\s*2)"),
        "halves a stride",
    ),
    ("gather-scatter", re.compile(r"\w+\[[^\[\];]*\b\w+\[[^\[\];]*\][^\[\];]*\]"), "subscripts by a subscripted value"),
    (
        "gather-scatter",
        re.compile(r"\batomic(?:Add|Max|Min|CAS|Exch)\w*\s*\("),
        "adds atomically at a place that it computes",
    ),
    ("stencil", re.compile(r"\b(\w+)\[[^\]]*[+-]\s*1\s*\][^;]*\b\1\[[^\]]*\]"), "reads neighbours of one array"),
    ("random", re.compile(r"\bcurand\w*\s*\(|\bhiprand\w*\s*\(|\bPhilox\w*"), "draws random numbers"),
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LOOP: Final = re.compile(r"\b(?:for|while)\s*\(")
_STORE: Final = re.compile(r"\b\w+\[([^\[\]]+)\]\s*[-+*/|&^]?=(?!=)")
_COOPERATES: Final = re.compile(r"__shared__|__syncthreads|__shfl|\batomic[A-Z]|__ballot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """A class of computation; a guess with its reasons, not a proof."""

    kind: str
    """`elementwise`, `reduction`, `scan`, `stencil`, `matrix-product`, `gather-scatter`, `sort`, …, or `other`."""
    evidence: tuple[str, ...]


def computation(kernel: Kernel) -> Computation:
    """Return the class for which most speaks."""
    points: dict[str, int] = defaultdict(int)
    said: dict[str, list[str]] = defaultdict(list)
    for kind, weight, evidence in _evidence(kernel):
        points[kind] += weight
        said[kind].append(evidence)
    if not points or max(points.values()) < _ENOUGH:
        return Computation(kind=UNKNOWN, evidence=())
    kind = max(points, key=lambda each: points[each])
    return Computation(kind=kind, evidence=tuple(said[kind]))


def _evidence(kernel: Kernel) -> Iterator[tuple[str, int, str]]:
    name = _CAMEL.sub("_", kernel.name).lower()
    for kind, pattern in _NAMES:
        found = pattern.search(name)
        if found:
            yield kind, _IN_NAME, f"name: {found.group().strip('_')}"
    code = without_comments(kernel.source)
    for kind, pattern, meaning in _CODE:
        if pattern.search(code):
            yield kind, _IN_CODE, f"code: {meaning}"
    stores = {"".join(index.split()) for index in _STORE.findall(code)}
    if len(stores) == 1 and not _COOPERATES.search(code) and len(_LOOP.findall(code)) <= 1:
        yield "elementwise", _IN_CODE, f"code: each thread writes its own element [{stores.pop()}]"
