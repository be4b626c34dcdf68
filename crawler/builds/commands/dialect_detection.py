"""Detect from its content whether a file is CUDA or HIP."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import HOST_SOURCE_SUFFIXES, get_suffix
from crawler.model import Dialect


def detect_dialect(path: str, graph: IncludeGraph) -> Dialect | None:
    """Return the dialect of a file.

    A file that names neither runtime is in the dialect of the nearest device code that it
    includes. `None` for a host source without kernels or launches of its own.
    """
    if get_suffix(path) in HOST_SOURCE_SUFFIXES and path not in graph.device_files:
        return None

    for file in _iter_related_files(path, graph):
        # a file that names neither, or both alike, says nothing
        balance = _weigh_runtimes(graph, file)
        if balance != 0:
            return Dialect.CUDA if balance > 0 else Dialect.HIP

    return Dialect.HIP if get_suffix(path) == "hip" else Dialect.CUDA


def _iter_related_files(path: str, graph: IncludeGraph) -> Iterator[str]:
    """Yield the file, device code that it includes, then all that it includes."""
    yield path
    reached_files = graph.list_reached_files(path)

    for file in reached_files:
        if file in graph.device_files:
            yield file

    yield from reached_files


def _weigh_runtimes(graph: IncludeGraph, path: str) -> int:
    """Return a positive number for more names of CUDA, a negative one for more of HIP."""
    scan = graph.scans.get(path)
    if scan is None:
        return 0

    return scan.cuda_name_count - scan.hip_name_count
