"""Which headers the device code of a tree includes, directly or not, and nobody here has."""

from __future__ import annotations

from typing import Final

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.include_resolver import is_external
from crawler.checkout.source_scan import HEADER_SUFFIXES, Include, get_suffix
from crawler.libraries.discovery import find_claiming, find_installed

MAX_HEADERS: Final = 2_000


def find_missing_headers(graph: IncludeGraph) -> frozenset[str]:
    """Return the includes of translation units with kernels, and of what they reach, that lead
    to no file of the tree, to no header of ours and to no library that is installed.
    """
    reached = set(graph.files_reaching_device_code)
    pending = list(reached)
    while pending:
        for edge in graph.edges.get(pending.pop(), ()):
            if edge.target not in reached:
                reached.add(edge.target)
                pending.append(edge.target)

    missing: set[str] = set()
    for path in sorted(reached):
        scan = graph.scans.get(path)
        if scan is None:
            continue

        ends = tuple(edge.target for edge in graph.edges.get(path, ()))
        for include in scan.includes:
            name = include.name
            is_resolved = any(end == name or end.endswith(f"/{name}") for end in ends)
            if is_resolved or name.startswith(("/", ".")) or is_external(include):
                continue
            if _may_be_of_library(include) and not _is_installed(name):
                missing.add(name)

        if len(missing) >= MAX_HEADERS:
            break

    return frozenset(missing)


def _may_be_of_library(include: Include) -> bool:
    """Tell whether an include may lead to another repository's header.

    `<mpi.h>` is of an installed library, and `"slab_alloc.cuh"` need not be.
    """
    if "/" in include.name:
        is_standard = include.name.startswith("experimental/")
        return not is_standard and get_suffix(include.name) != "cu"

    return include.is_quoted and get_suffix(include.name) in HEADER_SUFFIXES


def _is_installed(header: str) -> bool:
    library = find_claiming(header)
    return library is not None and find_installed(library.name) is not None
