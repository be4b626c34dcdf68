"""Measures and features of a kernel, recorded and never silently applied."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from crawler.extract.computation import computation
from crawler.extract.measures import measures, without_comments
from crawler.model import Kernel, Layer

TRIVIAL_LINES: Final = 5
LARGE_LINES: Final = 300
HIGH_DEPENDENCY: Final = 20
HIGH_COMPLEXITY: Final = 15
_FEATURES: Final = {
    "uses:shared-memory": re.compile(r"\b__shared__\b|\bHIP_DYNAMIC_SHARED\b"),
    "uses:dynamic-shared-memory": re.compile(r"\bextern\s+(?:\w+\([^)]*\)\s*)?__shared__|\bHIP_DYNAMIC_SHARED\b"),
    "uses:constant-memory": re.compile(r"\b__constant__\b"),
    "uses:atomics": re.compile(r"\b(?:gpuA|fastA|a)tomic[A-Z]\w*|\bcuda::atomic"),
    "uses:warp": re.compile(r"\b__(?:shfl|ballot|any|all|match|reduce|syncwarp|activemask)\w*"),
    "uses:warp-size": re.compile(r"\bwarpSize\b|\b(?:k?W|[A-Z_]+_W)(?:ARP|arp)_?(?:SIZE|Size)\w*|\bwarp_size\b"),
    "uses:barrier": re.compile(r"\b__syncthreads\w*"),
    "uses:ptx": re.compile(r"\basm\s*(?:volatile)?\s*\(|\b__asm__\b"),
    "uses:tensor-cores": re.compile(r"\bwmma\b|\bmma_sync\b|mma\.sync|\bwgmma\b|__builtin_amdgcn_mfma"),
    "uses:async-copy": re.compile(r"cp\.async|__pipeline_memcpy_async|\bmemcpy_async\b|\bcuda::pipeline\b"),
    "uses:tma": re.compile(r"cp\.async\.bulk|\bCUtensorMap\b"),
    "uses:clusters": re.compile(r"\b__cluster_dims__\b|\bcluster_group\b|\bthis_cluster\b"),
    "uses:cooperative-groups": re.compile(r"\bcooperative_groups\b|\bcg::"),
    "uses:texture": re.compile(r"\btex(?:1D|2D|3D)\w*\b|\btexture\s*<|\bcudaTextureObject_t\b|\bhipTextureObject_t\b"),
    "uses:cub": re.compile(r"\b(?:hip)?cub::"),
    "uses:thrust": re.compile(r"\bthrust::"),
    "uses:random": re.compile(r"\b(?:cu|hip)rand\w*"),
    "uses:dynamic-parallelism": re.compile(r"<<<"),
    "uses:vector-types": re.compile(r"\b(?:float|int|uint|short|double|half|char|uchar)[248]\b"),
    "uses:half": re.compile(r"\b__half2?\b|\bhalf2?\b|\bc10::Half\b"),
    "uses:bfloat16": re.compile(r"\b__nv_bfloat16\w*|\b__hip_bfloat16\w*|\bc10::BFloat16\b"),
    "uses:fp8": re.compile(r"\b__nv_fp8\w*|\b__hip_fp8\w*|\bFloat8_\w+"),
    "uses:printf": re.compile(r"\bprintf\s*\("),
}


def tags(kernel: Kernel) -> tuple[str, ...]:
    """Return the tags of a kernel, sorted."""
    counted = measures(kernel)
    text = without_comments(kernel.unit.source if kernel.unit else kernel.source)
    found = {tag for tag, pattern in _FEATURES.items() if pattern.search(text)}
    marks = {
        "trivial": counted.lines < TRIVIAL_LINES,
        "large": counted.lines > LARGE_LINES,
        "complex": counted.cyclomatic_complexity > HIGH_COMPLEXITY,
        "template": bool(kernel.template_head),
        "high-dependency": counted.dependencies > HIGH_DEPENDENCY,
        "global-state": bool(kernel.state),
        "never-launched": not kernel.launches and kernel.found_by is not Layer.STRING,
        "many-instantiations": kernel.unit is not None and len(kernel.instantiations) > len(kernel.unit.instantiations),
        f"class:{computation(kernel).kind}": True,
    }
    return tuple(sorted(found | {mark for mark, holds in marks.items() if holds}))


def told_generated(kernels: Iterable[Kernel], paths: Collection[str]) -> tuple[Kernel, ...]:
    """Return the kernels, those in files that a build has written (`paths`) tagged `generated`."""
    return tuple(
        replace(kernel, tags=tuple(sorted({*kernel.tags, "generated"}))) if kernel.span.path in paths else kernel
        for kernel in kernels
    )
