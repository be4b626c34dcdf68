"""Choose the files of a tree that may decide how one of them is compiled.

A file often lies beside thousands that have nothing to do with it, as in a folder of downloads.
All are looked through for the names that they include, and only near ones are scanned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree

# the raw bytes of any file: more than its includes, since comments are not left out, and never
# less, e.g. `# include /* ours */ <a/b.h>`
_INCLUDED_NAME: Final = re.compile(rb'include[^"<\n]*["<]([^">\n]+)')
# likewise: a macro that may stand for `__global__`, `#define KERNEL __global__ void`
_MAY_DEFINE_GLOBAL: Final = re.compile(
    rb"define[ \t]+(\w+)(?:\\\r?\n|[^\n])*?\b__global__\b"
)


def list_near_files(tree: SourceTree, path: str) -> frozenset[str] | None:
    """Return what a file may include and may be included by, with all that these include, and
    what may define the macros for `__global__` that one of them names.

    Returns `None` where the file may define such a macro itself: then any file may be behind it.
    """
    paths_by_name: dict[str, list[str]] = defaultdict(list)
    for file in tree.files:
        paths_by_name[_get_last_part(file)].append(file)

    names_by_file, aliases_by_file = _look_through(tree, paths_by_name)
    including_files = _list_including_files(path, names_by_file)
    if not including_files.isdisjoint(aliases_by_file):
        return None

    def add_reached_files(files: Iterable[str], reached_files: set[str]) -> None:
        pending = list(files)
        while pending:
            file = pending.pop()
            if file not in reached_files:
                reached_files.add(file)
                for name in names_by_file.get(file, ()):
                    pending += paths_by_name.get(name, ())

    near_files: set[str] = set()
    add_reached_files(including_files, near_files)
    aliases = set().union(*aliases_by_file.values())
    if any(_mentions_any(tree.read_bytes(file), aliases) for file in near_files):
        add_reached_files(aliases_by_file, near_files)

    return frozenset(near_files)


def _look_through(
    tree: SourceTree, paths_by_name: Mapping[str, Iterable[str]]
) -> tuple[dict[str, set[str]], dict[str, set[bytes]]]:
    """Return the last parts of the names that each file may include, and the macros that files
    may define for `__global__`.
    """
    names_by_file: dict[str, set[str]] = {}
    aliases_by_file: dict[str, set[bytes]] = {}
    pending = [path for path in tree.files if get_suffix(path) in SOURCE_SUFFIXES]

    while pending:
        odd_files: set[str] = set()
        for path in pending:
            content = tree.read_bytes(path)
            # most files have no such word, and a search for the word alone is quick
            if b"__global__" in content:
                aliases = set(_MAY_DEFINE_GLOBAL.findall(content))
                if aliases:
                    aliases_by_file[path] = aliases

            names = set(map(_decode_last_part, _INCLUDED_NAME.findall(content)))
            names_by_file[path] = names
            for name in names:
                # e.g. `ops.def`, which has includes of its own
                if get_suffix(name) not in SOURCE_SUFFIXES:
                    odd_files.update(paths_by_name.get(name, ()))

        pending = sorted(odd_files - names_by_file.keys())

    return names_by_file, aliases_by_file


def _list_including_files(
    path: str, names_by_file: Mapping[str, Iterable[str]]
) -> set[str]:
    """Return the file and what may include it, over whatever number of steps."""
    files_by_name: dict[str, list[str]] = defaultdict(list)
    for file, names in names_by_file.items():
        for name in names:
            files_by_name[name].append(file)

    including_files = {path}
    pending = [path]
    while pending:
        for file in files_by_name[_get_last_part(pending.pop())]:
            if file not in including_files:
                including_files.add(file)
                pending.append(file)

    return including_files


def _mentions_any(content: bytes, words: Iterable[bytes]) -> bool:
    return any(word in content for word in words)


def _decode_last_part(name: bytes) -> str:
    return _get_last_part(name.decode("utf-8", "replace"))


def _get_last_part(path: str) -> str:
    return path.rpartition("/")[2]
