"""Resolve `#include` lines to files of the tree when no include paths are known."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.checkout.source_scan import Include, SourceScan
from crawler.checkout.source_tree import SourceTree, is_vendored, open_tree
from crawler.errors import TooLarge
from crawler.headers.overlay import read_header_aliases

_MAX_CANDIDATES: Final = 256
# headers of C and of the system, which no project has of its own: `math.h`
_SYSTEM_HEADER: Final = re.compile(
    r"(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp"
    r"|signal|std(align|arg|atomic|bool|def|int|io|lib|noreturn)|string|tgmath|threads|time"
    r"|uchar|wchar|wctype|unistd|pthread|dlfcn|fcntl|malloc|memory|dirent|sched|semaphore"
    r"|poll|netdb|[a-z]+intrin)\.h"
)
_SYSTEM_FOLDERS: Final = ("sys/", "bits/", "linux/", "arpa/", "netinet/")


@dataclass(frozen=True, slots=True)
class IncludeEdge:
    """An include that the tree has."""

    target: str
    """The included file."""
    include_path: str | None
    """The include path that leads there, `None` where it is the includer's own folder."""


class IncludeResolver:
    """Finds included files by the ends of their paths.

    `a/b.h` is the file whose path ends so; where several do, the nearest.
    """

    def __init__(self, tree: SourceTree) -> None:
        self._sorted_files = tree.files
        self._files = frozenset(tree.files)
        self._paths_by_name: dict[str, list[str]] = {}

        for path in tree.files:
            name = path.rpartition("/")[2]
            self._paths_by_name.setdefault(name, []).append(path)

        self.is_decided_by_uses = False
        """Whether the most used include path had to decide where an include leads."""
        self._include_path_uses: Counter[str] = Counter()
        # by the folder of the includer and the name that it includes
        self._resolved: dict[tuple[str, str], IncludeEdge | None] = {}

    def learn_include_paths(self, scans: Mapping[str, SourceScan]) -> None:
        """Count the include paths behind includes that can mean one file only.

        The most used include path decides where several files fit.
        """
        for path, scan in scans.items():
            for include in scan.includes:
                # no include path is needed for it
                if self._find_in_own_folder(path, include) is not None:
                    continue

                candidates = self._list_candidates(include.name)
                if len(candidates) != 1:
                    continue

                include_path = candidates[0].include_path
                if include_path:
                    self._include_path_uses[include_path] += 1

    def resolve(self, path: str, include: Include) -> IncludeEdge | None:
        """Return where an include of the file `path` leads; `None` where it is not in the tree."""
        own_folder_file = self._find_in_own_folder(path, include)
        if own_folder_file is not None:
            return IncludeEdge(own_folder_file, None)
        if is_external(include):
            return None

        # all files of a folder mean the same file by a name
        key = (posixpath.dirname(path), include.name)
        if key not in self._resolved:
            self._resolved[key] = self._find_nearest(path, include.name)

        return self._resolved[key]

    def find_files_ending_with(self, name: str) -> Iterable[str]:
        """Return the files whose path ends with `name`, sorted."""
        last_part = name.rpartition("/")[2]
        namesakes = self._paths_by_name.get(last_part, ())

        return (path for path in namesakes if path == name or path.endswith(f"/{name}"))

    def _find_in_own_folder(self, path: str, include: Include) -> str | None:
        if not include.is_quoted:
            return None

        folder = posixpath.dirname(path)
        included_path = posixpath.normpath(posixpath.join(folder, include.name))
        # a wrapper such as `a/config.h` may include `config.h` of another folder
        if included_path == path or included_path not in self._files:
            return None

        return included_path

    def _find_nearest(self, path: str, name: str) -> IncludeEdge | None:
        candidates = self._list_candidates(name)
        ranks = [self._rank_candidate(path, edge) for edge in candidates]
        if not ranks:
            return None

        best_rank = min(ranks)
        nearest = [rank for rank in ranks if rank[:2] == best_rank[:2]]
        self.is_decided_by_uses |= len(nearest) > 1
        return candidates[ranks.index(best_rank)]

    def _list_candidates(self, name: str) -> list[IncludeEdge]:
        """Return the files that an include of `name` may mean, with their include paths."""
        tail, parent_count = _split_parent_steps(posixpath.normpath(name))
        candidates = []

        for path in islice(self.find_files_ending_with(tail), _MAX_CANDIDATES):
            include_path = self._find_folder_below(
                path[: -len(tail)].rstrip("/") or ".", parent_count
            )
            if include_path:
                candidates.append(IncludeEdge(path, include_path))

        return candidates

    def _find_folder_below(self, root: str, depth: int) -> str | None:
        """Return a folder `depth` levels below `root`, `None` where no file is so deep.

        With it as include path, as many `..` lead to `root`: preprocessors only follow
        `-Ilib/sub` and `../u.h` to `lib/u.h` if `lib/sub` exists.
        """
        if depth == 0:
            return root

        prefix = "" if root == "." else f"{root}/"
        first = bisect_left(self._sorted_files, prefix)

        for path in islice(self._sorted_files, first, None):
            if not path.startswith(prefix):
                break

            if path.count("/", len(prefix)) >= depth:
                folders = path[len(prefix) :].split("/")[:depth]
                return prefix + "/".join(folders)

        return None

    def _rank_candidate(
        self, path: str, edge: IncludeEdge
    ) -> tuple[bool, int, int, int, str]:
        """Order the candidates for an include of the file `path`; the lowest is meant."""
        # `third_party/cub/util.h` is not what the project means by `util.h`
        is_foreign = is_vendored(edge.target) and not is_vendored(path)
        return (
            is_foreign,
            -_count_shared_folders(path, edge.target),
            -self._include_path_uses[edge.include_path or ""],
            edge.target.count("/"),
            edge.target,
        )


def is_external(include: Include) -> bool:
    """Tell whether an include means a file outside of any project.

    That is the standard library, the system, or a library that our own headers stand for.
    """
    if include.name in _list_shim_names():
        return True
    if include.is_quoted:
        return False
    if "/" in include.name:
        return include.name.startswith(_SYSTEM_FOLDERS)

    # headers of the standard library have no extension: <vector>
    return "." not in include.name or bool(_SYSTEM_HEADER.fullmatch(include.name))


@cache
def _list_shim_names() -> frozenset[str]:
    paths = {
        path.relative_to(headers.ROOT).as_posix()
        for path in headers.list_header_files()
    }
    paths.update(name for name, _ in read_header_aliases())
    # the first folder names the set that a header is of, as in `cuda/cuda_runtime.h`
    return frozenset(path.partition("/")[2] for path in paths)


def find_system_namesakes(paths: Iterable[str]) -> dict[str, set[str]]:
    """Return, by include path, the files that it would have in place of the system's headers.

    e.g. `compat` for `compat/sys/time.h`, which a project has for platforms without that.
    """
    namesakes: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if _SYSTEM_HEADER.fullmatch(name):
            namesakes.setdefault(folder or ".", set()).add(path)

        parent, _, last_folder = folder.rpartition("/")
        if f"{last_folder}/" in _SYSTEM_FOLDERS:
            namesakes.setdefault(parent or ".", set()).add(path)

    return namesakes


def _split_parent_steps(name: str) -> tuple[str, int]:
    """Split `../../a.h` into `a.h` and 2."""
    parent_count = 0
    while name.startswith("../"):
        name = name[3:]
        parent_count += 1

    return name, parent_count


def _count_shared_folders(left_path: str, right_path: str) -> int:
    left_folders = left_path.split("/")[:-1]
    right_folders = right_path.split("/")[:-1]
    count = 0

    for left_folder, right_folder in zip(left_folders, right_folders, strict=False):
        if left_folder != right_folder:
            break

        count += 1

    return count


@lru_cache(maxsize=1)
def load_resolver(root: Path) -> IncludeResolver | None:
    """Return what finds headers below a root; `None` where it holds too many files to list.

    A single file's root is its folder, which may be a whole home.
    """
    try:
        return IncludeResolver(open_tree(root))
    except TooLarge:
        return None
