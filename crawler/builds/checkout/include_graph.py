"""Include graph of a source tree, and the include paths that its translation units need."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final

from crawler.builds.checkout.include_resolver import (
    IncludeEdge,
    IncludeResolver,
    is_external,
)
from crawler.builds.checkout.source_scan import (
    SCRIPT_SUFFIXES,
    SOURCE_SUFFIXES,
    SourceScan,
    get_suffix,
    has_kernel_string,
    mentions_any,
    scan_source,
)
from crawler.builds.checkout.source_tree import SourceTree

MAX_REACHED_FILES: Final = 5000
"""Files that one translation unit is followed into."""
_MOST_ALIASES: Final = 200
_LONG_NAME: Final = 8
_MOST_KEPT: Final = 4_000_000


class IncludeGraph:
    """The include lines of a tree, each resolved to a file of the tree where there is one."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.scans: dict[str, SourceScan] = {}
        self.edges: dict[str, tuple[IncludeEdge, ...]] = {}
        self.missing_includes: dict[str, tuple[str, ...]] = {}
        """Quoted includes that are not in the tree: generated, or of a library that is not here."""
        self._reached: dict[str, tuple[str, ...]] = {}
        self._kept = 0
        resolver = IncludeResolver(tree)
        self._read_all(resolver)
        resolver.learn_include_paths(self.scans)
        for path, skimmed in self.scans.items():
            self._resolve_all(path, skimmed, resolver)

    @cached_property
    def includers(self) -> Mapping[str, tuple[str, ...]]:
        """Who includes a file directly."""
        found: dict[str, set[str]] = {}
        for path, edges in self.edges.items():
            for edge in edges:
                found.setdefault(edge.target, set()).add(path)
        return {path: tuple(sorted(who)) for path, who in found.items()}

    @cached_property
    def device_files(self) -> frozenset[str]:
        """Every file with kernels or launches of its own."""
        return self.kernel_files | {
            path for path, skimmed in self.scans.items() if skimmed.has_launches
        }

    @cached_property
    def kernel_files(self) -> frozenset[str]:
        """Every file that defines or declares kernels, also where a macro says `__global__`.

        A macro of a long name counts in the whole tree, since includes of libraries are not
        followed.
        """
        found = {path for path, skimmed in self.scans.items() if skimmed.has_kernels}
        for path, names in self._aliases().items():
            if path not in found and mentions_any(
                self.tree.read_bytes(path), _any_of(names)
            ):
                found.add(path)
        return frozenset(found)

    @cached_property
    def kernel_string_files(self) -> frozenset[str]:
        """Every file whose string literals seem to hold kernels, scripts among them."""
        scripts = (
            path for path in self.tree.files if get_suffix(path) in SCRIPT_SUFFIXES
        )
        quoting = {
            path for path, skimmed in self.scans.items() if skimmed.has_kernel_strings
        }
        return frozenset(
            quoting.union(
                path
                for path in scripts
                if has_kernel_string(self.tree.read_bytes(path))
            )
        )

    @cached_property
    def files_reaching_device_code(self) -> frozenset[str]:
        """Every file that has device code or includes some, over whatever number of steps."""
        seen, pending = set(self.device_files), list(self.device_files)
        while pending:
            new = [
                who for who in self.includers.get(pending.pop(), ()) if who not in seen
            ]
            seen.update(new)
            pending.extend(new)
        return frozenset(seen)

    def list_reached_files(self, path: str) -> tuple[str, ...]:
        """Return the file and what it includes, nearest first; a cycle is walked once."""
        if path not in self._reached:
            found = _breadth_first(
                path, lambda file: (edge.target for edge in self.edges.get(file, ()))
            )
            reached = tuple(file for file, _ in found)
            if self._kept > _MOST_KEPT:
                return reached
            self._reached[path] = reached
            self._kept += len(reached)
        return self._reached[path]

    def iter_including_files(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the file and who includes it, each with the number of steps, the fewest first."""
        return _breadth_first(path, lambda file: iter(self.includers.get(file, ())))

    def find_include_paths(self, path: str) -> tuple[str, ...]:
        """Return the include paths that a translation unit needs, those that it needs first in
        front.
        """
        needed = (
            edge.include_path
            for file in self.list_reached_files(path)
            for edge in self.edges.get(file, ())
        )
        return tuple(dict.fromkeys(root for root in needed if root is not None))

    def _aliases(self) -> dict[str, set[str]]:
        """Map files to the macros for `__global__` that may be seen in them."""
        everywhere = [
            name
            for skimmed in self.scans.values()
            for name in skimmed.global_aliases
            if len(name) >= _LONG_NAME
        ]
        seen = (
            {path: set(everywhere[:_MOST_ALIASES]) for path in self.scans}
            if everywhere
            else {}
        )
        for path, skimmed in self.scans.items():
            if skimmed.global_aliases:
                for who in {
                    *self.list_reached_files(path),
                    *(file for file, _ in self.iter_including_files(path)),
                }:
                    seen.setdefault(who, set()).update(
                        skimmed.global_aliases[:_MOST_ALIASES]
                    )
        return seen

    def _read_all(self, resolver: IncludeResolver) -> None:
        pending = [
            path for path in self.tree.files if get_suffix(path) in SOURCE_SUFFIXES
        ]
        while pending:
            for path in pending:
                self.scans[path] = scan_source(self.tree.read_bytes(path))
            named = {
                include.name
                for path in pending
                for include in self.scans[path].includes
            }
            odd = (
                path
                for name in named
                if get_suffix(name) not in SOURCE_SUFFIXES
                for path in resolver.find_files_ending_with(name)
            )
            pending = sorted(set(odd) - self.scans.keys())

    def _resolve_all(
        self, path: str, skimmed: SourceScan, resolver: IncludeResolver
    ) -> None:
        resolved = [
            (include, resolver.resolve(path, include)) for include in skimmed.includes
        ]
        self.edges[path] = tuple(edge for _, edge in resolved if edge)
        lost = (
            include.name
            for include, edge in resolved
            if not edge and include.is_quoted and not is_external(include)
        )
        self.missing_includes[path] = tuple(lost)


@lru_cache(maxsize=1)
def load_include_graph(tree: SourceTree) -> IncludeGraph:
    """Return the graph of `tree`; the last one asked for is kept."""
    return IncludeGraph(tree)


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(names))})\b")


def _breadth_first(
    start: str, after: Callable[[str], Iterator[str]]
) -> Iterator[tuple[str, int]]:
    seen, pending = {start}, deque([(start, 0)])
    while pending:
        current, steps = pending.popleft()
        yield current, steps
        for path in after(current):
            if path not in seen and len(seen) < MAX_REACHED_FILES:
                seen.add(path)
                pending.append((path, steps + 1))
