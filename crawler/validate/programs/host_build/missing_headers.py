"""Include paths for headers that a program's own flags do not reach, and that stand in its tree.

A build's flags may name a folder that only an installation has, or leave a folder to a variable.
Of headers that came with CUDA's samples and not with the project there are some of our own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.checkout.include_resolver import load_resolver
from crawler.checkout.source_scan import Include

# clang's words for an include; what it lacks stands behind the place of its line
_NOT_FOUND: Final = re.compile(
    r"^(?P<path>[^\n:]{1,4096}):\d+:\d+: fatal error: '(?P<name>[^'\n]{1,1024})' file"
    " not found$",
    re.MULTILINE,
)


def find_include_flags(
    root: Path, checkout: str, messages: str, flags: Sequence[str]
) -> tuple[str, ...]:
    """Return flags that bring the headers which clang's `messages` call missing, nearest first;
    none where nothing has such a file, or `flags` name its folder.

    `root` is the checkout, which the compiler sees as `checkout`.
    """
    folders = dict.fromkeys(_find_folders(root, checkout, messages))
    new_folders = [folder for folder in folders if folder not in flags]
    # behind all others: what the flags reach by themselves stays as it is
    return tuple(word for folder in new_folders for word in ("-idirafter", folder))


def _find_folders(root: Path, checkout: str, messages: str) -> Iterator[str]:
    for missing in _NOT_FOUND.finditer(messages):
        folder = _find_in_tree(root, checkout, missing)
        if folder is not None:
            yield folder
        elif missing["name"] in _list_helpers():
            yield str(headers.HELPERS)


def _find_in_tree(root: Path, checkout: str, missing: re.Match[str]) -> str | None:
    resolver = load_resolver(root)
    if resolver is None:
        return None

    includer = missing["path"].removeprefix(f"{checkout}/")
    edge = resolver.resolve(includer, Include(name=missing["name"], is_quoted=True))
    if edge is None or edge.include_path is None:
        return None

    return posixpath.normpath(f"{checkout}/{edge.include_path}")


@cache
def _list_helpers() -> frozenset[str]:
    return frozenset(path.name for path in headers.HELPERS.iterdir())
