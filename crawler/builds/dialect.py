"""Which dialect a file is written in, by its content: HIP sources often carry the extension `.cu`."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.builds.includes import IncludeGraph
from crawler.builds.scan import HOST_SOURCES, suffix
from crawler.model import Dialect


def dialect(path: str, graph: IncludeGraph) -> Dialect | None:
    """Return the dialect of a file, `None` for a host source without device code or launches of its own."""
    if suffix(path) in HOST_SOURCES and path not in graph.device_files:
        return None
    votes = _votes(graph, (path,)) or _votes(graph, graph.reach(path))
    if votes == 0:
        return Dialect.HIP if suffix(path) == "hip" else Dialect.CUDA
    return Dialect.HIP if votes < 0 else Dialect.CUDA


def _votes(graph: IncludeGraph, paths: Iterable[str]) -> int:
    found = (graph.skims[path] for path in paths if path in graph.skims)
    return sum(skimmed.cuda - skimmed.hip for skimmed in found)
