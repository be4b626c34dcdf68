"""Tags of a kernel: features used, size and state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from crawler.extract.describe.kernel_class import classify_computation
from crawler.extract.describe.measures import blank_comments, measure_kernel
from crawler.model import Kernel, Layer, Rung

MIN_NONTRIVIAL_LINES: Final = 5
MAX_USUAL_LINES: Final = 300
MAX_USUAL_DEPENDENCIES: Final = 20
MAX_USUAL_CLOSURE_LINES: Final = 300
"""As many as a kernel that is not large has itself."""
MAX_USUAL_COMPLEXITY: Final = 15


class _Feature:
    """What a pattern finds in code without comments, with literals of which each match holds one.

    To look for a literal takes a fraction of the time of a pattern.
    """

    def __init__(self, *literals: str, pattern: str) -> None:
        self._literals = literals
        self.pattern = re.compile(pattern)

    def is_in(self, text: str) -> bool:
        """Tell whether a text has it."""
        has_literal = any(literal in text for literal in self._literals)
        return has_literal and self.pattern.search(text) is not None


FEATURE_PATTERNS: Final = {
    "uses:shared-memory": _Feature(
        "__shared__",
        "HIP_DYNAMIC_SHARED",
        pattern=r"\b__shared__\b|\bHIP_DYNAMIC_SHARED\b",
    ),
    "uses:dynamic-shared-memory": _Feature(
        "__shared__",
        "HIP_DYNAMIC_SHARED",
        pattern=r"\bextern\s+(?:\w+\([^)]*\)\s*)?__shared__|\bHIP_DYNAMIC_SHARED\b",
    ),
    "uses:constant-memory": _Feature("__constant__", pattern=r"\b__constant__\b"),
    "uses:atomics": _Feature(
        "tomic", pattern=r"\b(?:gpuA|fastA|a)tomic[A-Z]\w*|\bcuda::atomic"
    ),
    "uses:warp": _Feature(
        "__shfl",
        "__ballot",
        "__any",
        "__all",
        "__match",
        "__reduce",
        "__syncwarp",
        "__activemask",
        pattern=r"\b__(?:shfl|ballot|any|all|match|reduce|syncwarp|activemask)\w*",
    ),
    "uses:warp-size": _Feature(
        "warpSize",
        "warp_size",
        "WARP",
        "Warp",
        pattern=r"\bwarpSize\b|\b(?:k?W|[A-Z][A-Z0-9_]*_W)(?:ARP|arp)_?(?:SIZE|Size)\w*|\bwarp_size\b",
    ),
    "uses:barrier": _Feature("__syncthreads", pattern=r"\b__syncthreads\w*"),
    "uses:ptx": _Feature("asm", pattern=r"\basm\s*(?:volatile)?\s*\(|\b__asm__\b"),
    "uses:tensor-cores": _Feature(
        "wmma",
        "mma_sync",
        "mma.sync",
        "wgmma",
        "__builtin_amdgcn_mfma",
        pattern=r"\bwmma\b|\bmma_sync\b|mma\.sync|\bwgmma\b|__builtin_amdgcn_mfma",
    ),
    "uses:async-copy": _Feature(
        "cp.async",
        "memcpy_async",
        "cuda::pipeline",
        pattern=r"cp\.async|__pipeline_memcpy_async|\bmemcpy_async\b|\bcuda::pipeline\b",
    ),
    "uses:tma": _Feature(
        "cp.async.bulk", "CUtensorMap", pattern=r"cp\.async\.bulk|\bCUtensorMap\b"
    ),
    "uses:clusters": _Feature(
        "__cluster_dims__",
        "cluster_group",
        "this_cluster",
        pattern=r"\b__cluster_dims__\b|\bcluster_group\b|\bthis_cluster\b",
    ),
    "uses:cooperative-groups": _Feature(
        "cooperative_groups", "cg::", pattern=r"\bcooperative_groups\b|\bcg::"
    ),
    "uses:texture": _Feature(
        "tex1D",
        "tex2D",
        "tex3D",
        "texture",
        "cudaTextureObject_t",
        "hipTextureObject_t",
        pattern=r"\btex(?:1D|2D|3D)\w*\b|\btexture\s*<|\bcudaTextureObject_t\b|\bhipTextureObject_t\b",
    ),
    "uses:cub": _Feature("cub::", pattern=r"\b(?:hip)?cub::"),
    "uses:thrust": _Feature("thrust::", pattern=r"\bthrust::"),
    "uses:random": _Feature("curand", "hiprand", pattern=r"\b(?:cu|hip)rand\w*"),
    "uses:dynamic-parallelism": _Feature("<<<", pattern=r"<<<"),
    "uses:vector-types": _Feature(
        "2",
        "4",
        "8",
        pattern=r"\b(?:float|int|uint|short|double|half|char|uchar)[248]\b",
    ),
    "uses:half": _Feature(
        "half", "Half", pattern=r"\b__half2?\b|\bhalf2?\b|\bc10::Half\b"
    ),
    "uses:bfloat16": _Feature(
        "bfloat16",
        "BFloat16",
        pattern=r"\b__nv_bfloat16\w*|\b__hip_bfloat16\w*|\bc10::BFloat16\b",
    ),
    "uses:fp8": _Feature(
        "fp8", "Float8_", pattern=r"\b__nv_fp8\w*|\b__hip_fp8\w*|\bFloat8_\w+"
    ),
    "uses:printf": _Feature("printf", pattern=r"\bprintf\s*\("),
}


def compute_tags(kernel: Kernel) -> tuple[str, ...]:
    """Return the tags of a kernel, sorted."""
    # with a unit, what the kernel calls counts as well
    text = blank_comments(kernel.unit.source if kernel.unit else kernel.source)
    tags = {tag for tag, feature in FEATURE_PATTERNS.items() if feature.is_in(text)}

    holds_by_tag = _judge_size(kernel) | _judge_state(kernel)
    tags.update(tag for tag, holds in holds_by_tag.items() if holds)
    if kernel.unit:
        tags.update(
            f"library:{name}:{version}" for name, version in kernel.unit.libraries
        )

        for declaration in kernel.unit.assumed:
            is_macro = declaration.startswith("#define")
            tags.add("assumed-macros" if is_macro else "assumed-types")

    tags.add(f"class:{classify_computation(kernel).kind}")

    return tuple(sorted(tags))


def tag_generated_kernels(
    kernels: Iterable[Kernel], generated_paths: Collection[str]
) -> tuple[Kernel, ...]:
    """Return the kernels, those in files that a build has written tagged `generated`.

    `generated_paths` are those files.
    """
    tagged: list[Kernel] = []
    for kernel in kernels:
        if kernel.span.path in generated_paths:
            tags = sorted({*kernel.tags, "generated"})
            kernel = replace(kernel, tags=tuple(tags))

        tagged.append(kernel)

    return tuple(tagged)


def _judge_size(kernel: Kernel) -> dict[str, bool]:
    measures = measure_kernel(kernel)
    return {
        "trivial": measures.lines < MIN_NONTRIVIAL_LINES,
        "large": measures.lines > MAX_USUAL_LINES,
        "complex": measures.cyclomatic_complexity > MAX_USUAL_COMPLEXITY,
        "high-dependency": (
            measures.dependencies > MAX_USUAL_DEPENDENCIES
            or measures.closure_lines > MAX_USUAL_CLOSURE_LINES
        ),
    }


def _judge_state(kernel: Kernel) -> dict[str, bool]:
    # a kernel in a string is compiled at run time: its launches are not searched for
    is_launched = bool(kernel.launches) or kernel.found_by is Layer.STRING

    # a unit instantiates a selection where there are too many
    instantiated = len(kernel.unit.instantiations) if kernel.unit else None
    has_unused_instantiations = (
        instantiated is not None and len(kernel.instantiations) > instantiated
    )

    rung = kernel.unit.rung if kernel.unit else Rung.MINIMAL
    return {
        "unit:reduced": rung is Rung.REDUCED,
        "unit:wide": rung is Rung.WIDE,
        "template": bool(kernel.template_head),
        "global-state": bool(kernel.state),
        "never-launched": not is_launched,
        "many-instantiations": has_unused_instantiations,
    }
