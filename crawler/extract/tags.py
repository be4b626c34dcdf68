"""Measures and features of a kernel, recorded and never silently applied."""

from __future__ import annotations

import re
from typing import Final

from crawler.model import Kernel

TRIVIAL_LINES: Final = 5
LARGE_LINES: Final = 300
HIGH_DEPENDENCY: Final = 20
_FEATURES: Final = {
    "uses:shared-memory": re.compile(r"\b__shared__\b|\bHIP_DYNAMIC_SHARED\b"),
    "uses:atomics": re.compile(r"\b(?:gpuA|a)tomic[A-Z]\w*"),
    "uses:warp": re.compile(r"\b__(?:shfl|ballot|any|all|match|reduce|syncwarp)\w*"),
    "uses:barrier": re.compile(r"\b__syncthreads\w*"),
    "uses:ptx": re.compile(r"\basm\s*(?:volatile)?\s*\("),
    "uses:tensor-cores": re.compile(r"\bwmma\b|\bmma_sync\b|mma\.sync"),
    "uses:cooperative-groups": re.compile(r"\bcooperative_groups\b|\bcg::"),
    "uses:texture": re.compile(r"\btex(?:1D|2D|3D)\w*\b|\btexture\s*<"),
    "uses:cub": re.compile(r"\b(?:hip)?cub::"),
    "uses:dynamic-parallelism": re.compile(r"<<<"),
}


def tags(kernel: Kernel) -> tuple[str, ...]:
    """Return the tags of a kernel, sorted."""
    lines = kernel.span.end_line - kernel.span.line + 1
    text = kernel.unit.source if kernel.unit else kernel.source
    found = {tag for tag, pattern in _FEATURES.items() if pattern.search(text)}
    marks = {
        "trivial": lines < TRIVIAL_LINES,
        "large": lines > LARGE_LINES,
        "template": bool(kernel.template_head),
        "high-dependency": kernel.unit is not None and len(kernel.unit.dependencies) > HIGH_DEPENDENCY,
        "never-launched": not kernel.launches,
        "many-instantiations": kernel.unit is not None and len(kernel.instantiations) > len(kernel.unit.instantiations),
    }
    return tuple(sorted(found | {mark for mark, holds in marks.items() if holds}))
