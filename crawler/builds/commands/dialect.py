"""Which dialect a file is written in, by its content: HIP sources often carry the extension `.cu`."""

from __future__ import annotations

from crawler.builds.reading.includes import IncludeGraph
from crawler.builds.reading.scan import HOST_SOURCES, suffix
from crawler.model import Dialect


def dialect(path: str, graph: IncludeGraph) -> Dialect | None:
    """Return the dialect of a file, `None` for a host source without device code or launches of its own.

    What names neither runtime is in the dialect of the nearest device code that it includes.
    """
    if suffix(path) in HOST_SOURCES and path not in graph.device_files:
        return None
    reached = graph.reach(path)
    nearest = [path, *(file for file in reached if file in graph.device_files), *reached]
    votes = next(filter(None, (_vote(graph, file) for file in nearest)), 0)
    if votes == 0:
        return Dialect.HIP if suffix(path) == "hip" else Dialect.CUDA
    return Dialect.HIP if votes < 0 else Dialect.CUDA


def _vote(graph: IncludeGraph, path: str) -> int:
    skimmed = graph.skims.get(path)
    return skimmed.cuda - skimmed.hip if skimmed else 0
