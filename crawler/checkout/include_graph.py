"""Include graph of a source tree, and the include paths that its translation units need."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final

from crawler.checkout.dependencies import is_dependency_file
from crawler.checkout.include_resolver import (
    IncludeEdge,
    IncludeResolver,
    find_system_namesakes,
    is_external,
)
from crawler.checkout.run_time_preludes import find_run_time_preludes
from crawler.checkout.source_scan import (
    SCRIPT_SUFFIXES,
    SOURCE_SUFFIXES,
    SourceScan,
    get_suffix,
    has_kernel_string,
    mentions_any,
    scan_source,
)
from crawler.checkout.source_tree import SourceTree

MAX_REACHED_FILES: Final = 5000
"""Files that one translation unit is followed into."""
_MAX_ALIASES: Final = 200
_MIN_GLOBAL_ALIAS_CHARS: Final = 8
_MAX_CACHED_PATHS: Final = 4_000_000


class IncludeGraph:
    """The include lines of a tree, each resolved to a file of the tree where there is one.

    With `scanned`, only the sources among these are read; all others are names.
    """

    def __init__(self, tree: SourceTree, scanned: Iterable[str] | None = None) -> None:
        self.tree = tree
        self.scans: dict[str, SourceScan] = {}
        self.edges: dict[str, tuple[IncludeEdge, ...]] = {}
        self.missing_includes: dict[str, tuple[str, ...]] = {}
        """Quoted includes that are not in the tree: generated, or of a library that is not here."""

        self._reached_files: dict[str, tuple[str, ...]] = {}
        # of a tree with thousands of units that reach thousands of headers each, not all
        # lists are kept
        self._cached_path_count = 0

        resolver = IncludeResolver(tree)
        self._scan_files(resolver, scanned)
        resolver.learn_include_paths(self.scans)
        self._system_namesakes = find_system_namesakes(tree.files)

        for path, scan in self.scans.items():
            self._resolve_includes(path, scan, resolver)
        self.is_decided_by_uses = resolver.is_decided_by_uses

        self.run_time_preludes: Mapping[str, str] = find_run_time_preludes(
            self.scans, self
        )
        """What a program puts in front of files when it runs, which none of them includes."""
        self._follow_run_time_preludes()

    @cached_property
    def includers(self) -> Mapping[str, tuple[str, ...]]:
        """The files that include a file directly, sorted."""
        includers: dict[str, set[str]] = {}
        for path, edges in self.edges.items():
            for edge in edges:
                target_includers = includers.setdefault(edge.target, set())
                target_includers.add(path)

        sorted_includers: dict[str, tuple[str, ...]] = {}
        for target, paths in includers.items():
            sorted_includers[target] = tuple(sorted(paths))

        return sorted_includers

    @cached_property
    def device_files(self) -> frozenset[str]:
        """Every file with kernels or launches of its own."""
        launching_files = {
            path
            for path, scan in self.scans.items()
            if scan.has_launches and not is_dependency_file(path)
        }
        return self.kernel_files | launching_files

    @cached_property
    def kernel_files(self) -> frozenset[str]:
        """Every file that defines or declares kernels, also where a macro says `__global__`.

        A macro of a long name counts in the whole tree, since includes of libraries are not
        followed.
        """
        kernel_files = {
            path
            for path, scan in self.scans.items()
            if scan.has_kernels and not is_dependency_file(path)
        }
        for path, aliases in self._collect_visible_aliases().items():
            if path in kernel_files or is_dependency_file(path):
                continue

            if mentions_any(self.tree.read_bytes(path), _compile_any_word(aliases)):
                kernel_files.add(path)

        return frozenset(kernel_files)

    @cached_property
    def kernel_string_files(self) -> frozenset[str]:
        """Every file whose string literals seem to hold kernels, scripts among them."""
        quoting_files = {
            path for path, scan in self.scans.items() if scan.has_kernel_strings
        }
        for path in self.tree.files:
            # the scan knows sources of C++ alone
            if get_suffix(path) not in SCRIPT_SUFFIXES:
                continue

            if has_kernel_string(self.tree.read_bytes(path)):
                quoting_files.add(path)

        return frozenset(quoting_files)

    @cached_property
    def files_reaching_device_code(self) -> frozenset[str]:
        """Every file that has device code or includes some, over whatever number of steps."""
        reaching_files = set(self.device_files)
        pending = list(self.device_files)

        while pending:
            includers = self.includers.get(pending.pop(), ())
            new_files = [path for path in includers if path not in reaching_files]
            reaching_files.update(new_files)
            pending.extend(new_files)

        return frozenset(reaching_files)

    def read_bytes(self, path: str) -> bytes:
        """Return the content of a file of the tree."""
        return self.tree.read_bytes(path)

    def list_reached_files(self, path: str) -> tuple[str, ...]:
        """Return the file and what it includes, nearest first; a cycle is walked once."""
        # asked for the same units again and again: by selection, ranking and synthesis
        cached = self._reached_files.get(path)
        if cached is not None:
            return cached

        walk = _walk_breadth_first(path, self._iter_included_files)
        reached_files = tuple(file for file, _ in walk)

        if self._cached_path_count <= _MAX_CACHED_PATHS:
            self._reached_files[path] = reached_files
            self._cached_path_count += len(reached_files)

        return reached_files

    def iter_including_files(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the file and its includers, each with the number of steps, the fewest first."""
        return _walk_breadth_first(path, lambda file: self.includers.get(file, ()))

    def find_include_paths(self, path: str) -> tuple[str, ...]:
        """Return the include paths that a translation unit needs, in the order of first need."""
        include_paths: dict[str, None] = {}
        for file in self.list_reached_files(path):
            for edge in self.edges.get(file, ()):
                if edge.include_path is not None:
                    include_paths[edge.include_path] = None

        return tuple(include_paths)

    def hides_system_headers(self, path: str, include_path: str) -> bool:
        """Tell whether an include path has headers by the names of the system's own.

        It does not where a translation unit includes one of them as the project's, in quotes.
        """
        namesakes = self._system_namesakes.get(include_path)
        if not namesakes:
            return False
        return namesakes.isdisjoint(self.list_reached_files(path))

    def _iter_included_files(self, path: str) -> Iterator[str]:
        return (edge.target for edge in self.edges.get(path, ()))

    def _collect_visible_aliases(self) -> dict[str, set[str]]:
        """Map files to the macros for `__global__` that may be visible in them."""
        visible_aliases: dict[str, set[str]] = {}
        # a name as long as `CUB_DETAIL_KERNEL_ATTRIBUTES` means the same in every file, a short
        # one such as `KERN` may not
        global_aliases = [
            alias
            for scan in self.scans.values()
            for alias in scan.global_aliases
            if len(alias) >= _MIN_GLOBAL_ALIAS_CHARS
        ]

        if global_aliases:
            for path in self.scans:
                visible_aliases[path] = set(global_aliases[:_MAX_ALIASES])

        for path, scan in self.scans.items():
            if not scan.global_aliases:
                continue

            aliases = scan.global_aliases[:_MAX_ALIASES]
            related_files = set(self.list_reached_files(path))
            related_files.update(file for file, _ in self.iter_including_files(path))

            for file in related_files:
                visible_aliases.setdefault(file, set()).update(aliases)

        return visible_aliases

    def _scan_files(
        self, resolver: IncludeResolver, scanned: Iterable[str] | None
    ) -> None:
        """Scan all sources, and included files whose names do not look like sources."""
        files = self.tree.files if scanned is None else sorted(scanned)
        pending = [path for path in files if get_suffix(path) in SOURCE_SUFFIXES]
        while pending:
            included_names: set[str] = set()
            for path in pending:
                scan = scan_source(self.tree.read_bytes(path))
                self.scans[path] = scan
                included_names.update(include.name for include in scan.includes)

            # e.g. `#include "ops.def"`, which lists operators as macro calls
            odd_files: set[str] = set()
            for name in included_names:
                if get_suffix(name) not in SOURCE_SUFFIXES:
                    odd_files.update(resolver.find_files_ending_with(name))

            pending = sorted(odd_files - self.scans.keys())

    def _follow_run_time_preludes(self) -> None:
        """Take what stands in front of a file for its first include."""
        for path, prelude in self.run_time_preludes.items():
            first_edge = IncludeEdge(target=prelude, include_path=None)
            self.edges[path] = (first_edge, *self.edges[path])

        # what was asked of them without it
        self._reached_files.clear()
        self._cached_path_count = 0

    def _resolve_includes(
        self, path: str, scan: SourceScan, resolver: IncludeResolver
    ) -> None:
        edges: list[IncludeEdge] = []
        missing: list[str] = []

        for include in scan.includes:
            edge = resolver.resolve(path, include)
            if edge:
                edges.append(edge)
            # `<x.h>` may be of any library that is installed, `"x.h"` is meant to be here
            elif include.is_quoted and not is_external(include):
                missing.append(include.name)

        self.edges[path] = tuple(edges)
        self.missing_includes[path] = tuple(missing)


@lru_cache(maxsize=1)
def load_include_graph(tree: SourceTree) -> IncludeGraph:
    """Return the graph of `tree`; the last one asked for is kept."""
    return IncludeGraph(tree)


def _compile_any_word(words: Iterable[str]) -> re.Pattern[str]:
    # for `mentions_any`, which sees to comments and strings
    return re.compile(rf"\b(?:{'|'.join(sorted(words))})\b")


def _walk_breadth_first(
    start: str, list_next: Callable[[str], Iterable[str]]
) -> Iterator[tuple[str, int]]:
    """Yield each file once with its number of steps from `start`, at most 5,000 files."""
    visited = {start}
    pending = deque([(start, 0)])

    while pending:
        current, steps = pending.popleft()
        yield current, steps

        for path in list_next(current):
            # templates of a large library may include tens of thousands
            if path not in visited and len(visited) < MAX_REACHED_FILES:
                visited.add(path)
                pending.append((path, steps + 1))
