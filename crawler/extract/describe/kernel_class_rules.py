"""What a class of computation looks like: words in names, and what code shows.

Kernels in any state are judged, many of which no parser takes whole, by their code without
comments; a slip costs a tag.
"""

from __future__ import annotations

import re
from typing import Final

_LOOP: Final = r"\b(?:for|while)\s*\("
_PRODUCT: Final = r"[\w\])]\s*\*\s*[\w(]|\w*fma\w*\s*\("
_ATOMIC: Final = r"\w*atomic\w*\s*[<(]"

# words within the lower-case name of a kernel
NAME_RULES: Final = (
    (
        "matrix-product",
        re.compile(
            r"gemm|gemv|matmul|(?:^|_)b?mm(?:_|$)|mat_?mul|wmma|mfma|outer_?product"
        ),
    ),
    ("convolution", re.compile(r"conv(?!ert|ex|erg)|im2col|col2im")),
    ("sort", re.compile(r"sort(?!ed)|top_?k|bitonic|radix")),
    ("scan", re.compile(r"(?:^|_)scan|cum_?sum|prefix|cum_?prod")),
    ("histogram", re.compile(r"histogram|bin_?count|(?:^|_)hist(?:_|$)")),
    ("attention", re.compile(r"attention|attn|flash_?(?:fwd|bwd)|mha(?:_|$)")),
    (
        "normalisation",
        re.compile(
            r"(?:batch|group|inst(?:ance)?|layer|rms|weight)_?norm(?:_|$)|normali[sz]e(?!d)"
            r"|soft_?max|(?:^|_)bn(?:_|$)"
        ),
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
            r"reduc|(?:^|(?<!soft)_)(?:sum|mean|max(?!_?pool)|min|dot)(?:_|$)|arg_?(?:max|min)"
        ),
    ),
    (
        "gather-scatter",
        re.compile(
            r"gather|scatter|index_?(?:add|copy|fill|mul|put|select)(?:_|$)|embedding|lookup|permut|unpack|group_points"
        ),
    ),
    (
        "stencil",
        re.compile(
            r"stencil|pool|blur|filter|laplac|sobel|resiz|interpol|grid_sampl|(?:^|_)roi_?|up_?sampl|down_?sampl|up_?fir"
        ),
    ),
    (
        "random",
        re.compile(r"(?:^|_)rand(?:n|int|perm|om\w*)?(?:_|$)|dropout|curand|philox"),
    ),
    ("sparse", re.compile(r"spmm|spmv|csr|coo(?:_|$)|sparse")),
    ("quantisation", re.compile(r"quant|fp8|(?:^|_)int[48]|awq|gptq")),
    (
        "elementwise",
        re.compile(
            r"element_?wise|pointwise|activation|(?:^|_)act(?:_|$)|relu|gelu|silu|sigmoid|(?<!broad)cast|clamp"
            r"|(?:^|_)(?:fill|copy|clear|zero)(?:_|$)"
        ),
    ),
)
# what the code of a kernel, or of what it calls, shows at least where its name is right
NAME_NEEDS: Final = {
    kind: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for kind, *patterns in (
        ("matrix-product", rf"{_LOOP}|mma", r"mma|fma|dot|\+=[^;]*\*"),
        ("convolution", rf"{_LOOP}|[%/]", r"\]"),
        ("sort", r"sort|swap|[<>]", rf"sort|swap|\]|__shfl|{_ATOMIC}"),
        ("scan", rf"__shfl|scan\w*\s*[<(]|__shared__|{_LOOP}", r"\+|\*|scan\w*\s*[<(]"),
        ("histogram", rf"{_ATOMIC}|\]\s*\+[+=]|\b(?:inc|add)\w*\s*[<(]"),
        ("attention", rf"exp\w*\s*\(|softmax|mma|{_PRODUCT}", rf"{_LOOP}|mma"),
        ("normalisation", r"exp|sqrt|rcp|/(?!=?\s*2\b)|\*\s*\w*(?:std|inv|scale|var)"),
        ("search", r"[<>]", rf"{_LOOP}|best|nearest|min"),
        ("pairwise", r"min|max|-"),
        ("rendering", rf"{_PRODUCT}|tex\w*\s*[<(]|surf\w*\s*[<(]|{_ATOMIC}"),
        ("transpose", r"\]\s*=[^;=]*[\[(]|__shfl"),
        (
            "reduction",
            rf"__shfl|{_ATOMIC}|reduc\w*\s*[<(]|__syncthreads|{_LOOP}",
            rf"\+=|[<>?]|\b\w*(?:max|min|reduc)\w*\s*[<(]|__shfl|{_ATOMIC}|\+",
        ),
        ("gather-scatter", r"\[|\*\s*\(|load|store|shfl"),
        ("stencil", _LOOP, rf"\+=|max|min|{_PRODUCT}"),
        ("random", r"rand|philox|seed|rng|state"),
        ("sparse", _LOOP, r"\["),
        ("quantisation", rf">>|<<|&|rint|round|scale|int8|fp8|{_PRODUCT}"),
        ("elementwise", r"=|store"),
    )
}
# what names a class by itself
STRONG_CODE_RULES: Final = (
    (
        "matrix-product",
        re.compile(r"\bwmma\b|\bmma_sync\b|mma\.sync|\bwgmma\b|__builtin_amdgcn_mfma"),
        "matrix instructions",
    ),
    (
        "matrix-product",
        re.compile(
            r"\+=\s*(?:\([\w: ]+\)\s*)?\w+(?:\[[^;=\]]*\*[^;=\]]*\]|\[[^;=\]]*\]\[[^;=\]]*\])"
            r"\s*\*\s*(?:\([\w: ]+\)\s*)?\w+(?:\[[^;=\]]*\*|\[[^;=\]]*\]\[)"
        ),
        "accumulates products of elements of two matrices",
    ),
    (
        "transpose",
        re.compile(
            r"\b(\w+)\[(\w[^\[\]]{0,60})\]\[(\w[^\[\]]{0,60})\]\s*=[^=][\s\S]{0,1000}"
            r"=[^=;]*\b\1\[\3\]\[\2\]"
        ),
        "reads a tile with its indices swapped",
    ),
    (
        "normalisation",
        # an optimiser adds it to the root, not under it
        re.compile(
            r"\br?sqrt\w*\s*\((?:[^();]|\([^();]{0,100}\)){0,200}?\b\w*eps\w*\b",
            re.IGNORECASE,
        ),
        "divides by a deviation with an epsilon",
    ),
    (
        "compaction",
        re.compile(
            r"\b(\w+)\s*=\s*atomic(?:Add|Inc)\s*\([^;]{0,200}\)\s*;[^{}]{0,400}\[\s*\1\s*\]\s*="
        ),
        "appends what passes a test",
    ),
)
# what is found in kernels of other classes, too: it takes two of them, or a name
WEAK_CODE_RULES: Final = (
    (
        "scan",
        re.compile(r"\bBlockScan\b|\bWarpScan\b|\b(?:In|Ex)clusive(?:Sum|Scan)\b"),
        "calls a scan",
    ),
    (
        "sort",
        re.compile(r"\bBlockRadixSort\b|\bBlockMergeSort\b|\bsort(?:_by_key)?\s*\("),
        "calls a sort",
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
    ("reduction", re.compile(r">>=\s*1|/=\s*2|>>\s*1[^{}]*\)\s*\{"), "halves a stride"),
    (
        "gather-scatter",
        re.compile(r"\batomic(?:Add|Max|Min|CAS|Exch)\w*\s*\("),
        "adds atomically at a place that it computes",
    ),
    (
        "stencil",
        re.compile(
            r"\b(\w+)\[[^\]]{0,100}-\s*1\s*\][^;]{0,300}\b\1\[[^\]]{0,100}\+\s*1\s*\]"
            r"|\b(\w+)\[[^\]]{0,100}\+\s*1\s*\][^;]{0,300}\b\2\[[^\]]{0,100}-\s*1\s*\]"
        ),
        "reads the neighbours on both sides",
    ),
    (
        "search",
        re.compile(
            r"\bif\s*\(\s*(\w+)\s*[<>]=?\s*(\w+)(?:\[[^\]]*\])?\s*\)\s*\{[^{}]{0,300}\b\2\s*(?:\[[^\]]{0,80}\])?\s*=\s*\1\s*;[^{}=]{0,300}=[^{}]{0,300}\}"
        ),
        "keeps the best of what it looks at, and where that was",
    ),
    (
        "random",
        re.compile(r"\bcurand\w*\s*\(|\bhiprand\w*\s*\(|\bPhilox\w*"),
        "draws random numbers",
    ),
)
SUBSCRIPTED_INDEX: Final = re.compile(r"\w+\[[^\[\];]*\b\w+\[[^\[\];]*\][^\[\];]*\]")
