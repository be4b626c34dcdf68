"""Patterns in names and code for each class of computation."""

from __future__ import annotations

import re
from typing import Final

# words within the lower-case name of a kernel
NAME_RULES: Final = (
    (
        "matrix-product",
        re.compile(
            r"gemm|gemv|matmul|(?:^|_)b?mm(?:_|$)|mat_?mul|wmma|mfma|outer_?product"
        ),
    ),
    ("convolution", re.compile(r"conv(?!ert|ex)|im2col|col2im")),
    ("sort", re.compile(r"sort|top_?k|bitonic|radix")),
    ("scan", re.compile(r"(?:^|_)scan|cum_?sum|prefix|cum_?prod")),
    ("histogram", re.compile(r"histogram|bin_?count|(?:^|_)hist(?:_|$)")),
    ("attention", re.compile(r"attention|attn|flash_?(?:fwd|bwd)|mha(?:_|$)")),
    (
        "normalisation",
        re.compile(r"norm(?:_|$|alize|alise)|soft_?max|(?:^|_)bn(?:_|$)"),
    ),
    (
        "search",
        re.compile(
            r"(?:^|_)k?nn(?:_|$)|nearest|neighbou?r|(?:ball|radius)_?query|(?:^|_)(?:radius|search|find_?best)"
        ),
    ),
    (
        "pairwise",
        re.compile(
            r"(?:^|_)nms|[a-z]?iou(?:_|\d|$)|overlap|pair_?wise|(?:^|_)c?dist(?:ance)?s?(?:_|$)"
        ),
    ),
    (
        "rendering",
        re.compile(
            r"raster|render|projection|splat|ray_?(?:march|trac|cast)|voxeli[sz]"
        ),
    ),
    ("transpose", re.compile(r"transpos")),
    (
        "reduction",
        re.compile(
            r"reduc|(?:^|_)(?:sum|mean|max(?!_?pool)|min|norm|dot|loss)(?:_|$)|arg_?(?:max|min)"
        ),
    ),
    (
        "gather-scatter",
        re.compile(
            r"gather|scatter|(?:^|_)index|embedding|lookup|permut|unpack|group_points|shuffle"
        ),
    ),
    (
        "stencil",
        re.compile(
            r"stencil|pool|blur|filter|laplac|sobel|resiz|interpol|grid_sampl|roi_|align|up_?sampl|down_?sampl|up_?fir"
        ),
    ),
    ("random", re.compile(r"rand(?:om|_|$)|dropout|curand|philox")),
    ("sparse", re.compile(r"spmm|spmv|csr|coo(?:_|$)|sparse")),
    ("quantisation", re.compile(r"quant|dequant|fp8|int4|int8|awq|gptq")),
    (
        "elementwise",
        re.compile(
            r"element_?wise|pointwise|activation|(?:^|_)act(?:_|$)|relu|gelu|silu|sigmoid|(?<!broad)cast|clamp"
            r"|(?:^|_)(?:fill|copy|init|set|clear|zero|reset)(?:_|$)"
        ),
    ),
)
# code without comments: what a class looks like, which a kernel with errors shows, too
CODE_RULES: Final = (
    (
        "matrix-product",
        re.compile(r"\bwmma\b|\bmma_sync\b|mma\.sync|\bwgmma\b|__builtin_amdgcn_mfma"),
        "matrix instructions",
    ),
    (
        "matrix-product",
        re.compile(
            r"\+=\s*(?:\([\w: ]+\)\s*)?\w+\[[^;=]*\]\s*\*\s*(?:\([\w: ]+\)\s*)?\w+\["
        ),
        "accumulates a product of two subscripted values",
    ),
    (
        "sort",
        re.compile(r"\bBlockRadixSort\b|\bBlockMergeSort\b|\bsort(?:_by_key)?\s*\("),
        "calls a sort",
    ),
    (
        "scan",
        re.compile(r"\bBlockScan\b|\bWarpScan\b|\b(?:In|Ex)clusive(?:Sum|Scan)\b"),
        "calls a scan",
    ),
    (
        "reduction",
        re.compile(
            r"\bBlockReduce\b|\bWarpReduce\b|\b(?:block|warp)_?reduce\w*\s*[<(]",
            re.IGNORECASE,
        ),
        "calls a reduction",
    ),
    ("reduction", re.compile(r"__shfl_(?:down|xor)"), "exchanges within a warp"),
    (
        "reduction",
        re.compile(
            r"(?:>>=\s*1|/=\s*2|>>\s*1)[^{}]*\)\s*\{?[^}]*__shared__|(?:>>=\s*1|/=\s*2)"
        ),
        "halves a stride",
    ),
    (
        "gather-scatter",
        re.compile(r"\w+\[[^\[\];]*\b\w+\[[^\[\];]*\][^\[\];]*\]"),
        "subscripts by a subscripted value",
    ),
    (
        "gather-scatter",
        re.compile(r"\batomic(?:Add|Max|Min|CAS|Exch)\w*\s*\("),
        "adds atomically at a place that it computes",
    ),
    (
        "stencil",
        re.compile(r"\b(\w+)\[[^\]]*[+-]\s*1\s*\][^;]*\b\1\[[^\]]*\]"),
        "reads neighbours of one array",
    ),
    (
        "search",
        re.compile(
            r"\bif\s*\(\s*(\w+)\s*[<>]=?\s*(\w+)(?:\[[^\]]*\])?\s*\)\s*\{[^{}]{0,300}\b\2\s*(?:\[[^\]]{0,80}\])?\s*=\s*\1\s*;[^{}=]{0,300}=[^{}]{0,300}\}"
        ),
        "keeps the best of what it looks at, and where that was",
    ),
    (
        "compaction",
        re.compile(
            r"\[\s*(\w+)\s*\+\+\s*\]\s*=|\[\s*(\w+)\s*\]\s*=[^;]*;\s*(?:\+\+\s*\2|\2\s*\+\+)"
        ),
        "appends what passes a test",
    ),
    (
        "normalisation",
        re.compile(r"\br?sqrt\w*\s*\([^;]{0,200}\b\w*eps\w*\b", re.IGNORECASE),
        "divides by a deviation with an epsilon",
    ),
    (
        "random",
        re.compile(r"\bcurand\w*\s*\(|\bhiprand\w*\s*\(|\bPhilox\w*"),
        "draws random numbers",
    ),
)
