"""Detect from its content whether a file is CUDA or HIP."""

from __future__ import annotations

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import HOST_SOURCE_SUFFIXES, get_suffix
from crawler.model import Dialect


def detect_dialect(path: str, graph: IncludeGraph) -> Dialect | None:
    """Return the dialect of a file, `None` for a host source without device code or launches of
    its own.

    What names neither runtime is in the dialect of the nearest device code that it includes.
    """
    if get_suffix(path) in HOST_SOURCE_SUFFIXES and path not in graph.device_files:
        return None
    reached = graph.list_reached_files(path)
    nearest = [
        path,
        *(file for file in reached if file in graph.device_files),
        *reached,
    ]
    votes = next(filter(None, (_vote(graph, file) for file in nearest)), 0)
    if votes == 0:
        return Dialect.HIP if get_suffix(path) == "hip" else Dialect.CUDA
    return Dialect.HIP if votes < 0 else Dialect.CUDA


def _vote(graph: IncludeGraph, path: str) -> int:
    skimmed = graph.scans.get(path)
    return skimmed.cuda_name_count - skimmed.hip_name_count if skimmed else 0
