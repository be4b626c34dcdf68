"""Resolve `#include` lines to files of the tree when no include paths are known."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final

from crawler import headers
from crawler.builds.checkout.source_scan import Include, SourceScan
from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.headers.overlay import read_header_aliases

_MOST_CANDIDATES: Final = 256
_C_HEADERS: Final = re.compile(
    r"(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|std(align|arg|atomic|bool"
    r"|def|int|io|lib|noreturn)|string|tgmath|threads|time|uchar|wchar|wctype|unistd|pthread|dlfcn|fcntl|malloc|memory"
    r"|dirent|sched|semaphore|poll|netdb|[a-z]+intrin)\.h"
)
_SYSTEM_FOLDERS: Final = ("sys/", "bits/", "linux/", "arpa/", "netinet/")


@dataclass(frozen=True, slots=True)
class IncludeEdge:
    """An include that the tree has: the file, and the include path that leads there (`None`:
    the includer's folder).
    """

    target: str
    include_path: str | None


class IncludeResolver:
    """Finds includes by the ends of paths: `a/b.h` is the file that ends so, the nearest where
    several do.
    """

    def __init__(self, tree: SourceTree) -> None:
        self._ordered = tree.files
        self._files = frozenset(tree.files)
        self._by_name: dict[str, list[str]] = {}
        for path in tree.files:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._popular: Counter[str] = Counter()
        self._known: dict[tuple[str, str], IncludeEdge | None] = {}

    def learn_include_paths(self, scans: Mapping[str, SourceScan]) -> None:
        """Learn include paths from the includes that can mean one file only; they decide where
        several fit.
        """
        for path, skimmed in scans.items():
            for include in skimmed.includes:
                if self._beside(path, include) is None:
                    candidates = self._candidates(include.name)
                    self._popular.update(
                        edge.include_path
                        for edge in candidates
                        if len(candidates) == 1 and edge.include_path
                    )

    def resolve(self, path: str, include: Include) -> IncludeEdge | None:
        """Return where an include of the file `path` leads; `None` where it is not in the tree."""
        beside = self._beside(path, include)
        if beside is not None:
            return IncludeEdge(beside, None)
        if is_external(include):
            return None
        key = (posixpath.dirname(path), include.name)
        if key not in self._known:
            self._known[key] = self._nearest(path, include.name)
        return self._known[key]

    def find_files_ending_with(self, name: str) -> Iterable[str]:
        """Return the files whose path ends with `name`, sorted."""
        rest = self._by_name.get(name.rpartition("/")[2], ())
        return (path for path in rest if path == name or path.endswith("/" + name))

    def _beside(self, path: str, include: Include) -> str | None:
        if not include.is_quoted:
            return None
        joined = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), include.name)
        )
        return joined if joined in self._files and joined != path else None

    def _nearest(self, path: str, name: str) -> IncludeEdge | None:
        candidates = self._candidates(name)
        return min(
            candidates, key=lambda edge: self._distance(path, edge), default=None
        )

    def _candidates(self, name: str) -> list[IncludeEdge]:
        name, ups = _without_parents(posixpath.normpath(name))
        found = (
            IncludeEdge(path, path[: -len(name)].rstrip("/") or ".")
            for path in self.find_files_ending_with(name)
        )
        if ups:
            found = (
                IncludeEdge(edge.target, self._below(edge.include_path or ".", ups))
                for edge in found
            )
        return [edge for edge in islice(found, _MOST_CANDIDATES) if edge.include_path]

    def _below(self, root: str, depth: int) -> str | None:
        """Return a folder `depth` levels below `root`: from there as many `..` lead to it."""
        prefix = "" if root == "." else root + "/"
        for path in islice(self._ordered, bisect_left(self._ordered, prefix), None):
            if not path.startswith(prefix):
                break
            if path.count("/", len(prefix)) >= depth:
                return prefix + "/".join(path[len(prefix) :].split("/")[:depth])
        return None

    def _distance(
        self, path: str, edge: IncludeEdge
    ) -> tuple[bool, int, int, int, str]:
        foreign = is_vendored(edge.target) and not is_vendored(path)
        depth = edge.target.count("/")
        return (
            foreign,
            -_shared(path, edge.target),
            -self._popular[edge.include_path or ""],
            depth,
            edge.target,
        )


def is_external(include: Include) -> bool:
    """Tell whether an include means the standard library, the system, or a library that our own
    headers stand for.
    """
    if include.name in _shims():
        return True
    if include.is_quoted:
        return False
    if "/" in include.name:
        return include.name.startswith(_SYSTEM_FOLDERS)
    return "." not in include.name or bool(_C_HEADERS.fullmatch(include.name))


@cache
def _shims() -> frozenset[str]:
    inside = {
        path.relative_to(headers.ROOT).as_posix()
        for path in headers.list_header_files()
    }
    return frozenset(
        path.partition("/")[2]
        for path in inside.union(name for name, _ in read_header_aliases())
    )


def _without_parents(name: str) -> tuple[str, int]:
    ups = 0
    while name.startswith("../"):
        name, ups = name[3:], ups + 1
    return name, ups


def _shared(left: str, right: str) -> int:
    count = 0
    for one, other in zip(left.split("/")[:-1], right.split("/")[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count
