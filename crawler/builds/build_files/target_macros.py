"""Macros that differ between CMake targets built from the same source."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from crawler.builds.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.builds.checkout.source_tree import SourceTree

_LISTS: Final = re.compile(r"(?:^|/)CMakeLists\.txt$|\.cmake$")
_DEFINING: Final = "target_compile_definitions"
_COMMAND: Final = re.compile(r"(?<![\w$])([A-Za-z]\w{0,80})[ \t]*\(([^()]{1,4000})\)")
_MACRO: Final = re.compile(r"(?:-D)?([A-Za-z_]\w*)(?:=.*)?")
_SCOPES: Final = frozenset({"PRIVATE", "PUBLIC", "INTERFACE"})
_MOST: Final = 2_000


@lru_cache(maxsize=1)
def find_target_specific_macros(tree: SourceTree) -> Mapping[str, frozenset[str]]:
    """Return, for each source that several targets are made of, the macros that one of these
    defines and another lacks.

    Targets and their sources must stand in one file, as words of their own.
    """
    found: dict[str, frozenset[str]] = {}
    listed = [path for path in tree.files if _LISTS.search(path)]
    for path in listed[:_MOST]:
        text = tree.read_bytes(path).decode("utf-8", "replace")
        if _DEFINING in text:
            found.update(_apart(text, posixpath.dirname(path)))
    return found


def _apart(text: str, folder: str) -> Iterator[tuple[str, frozenset[str]]]:
    defined: dict[str, set[str]] = defaultdict(set)
    targets: dict[str, set[str]] = defaultdict(set)
    for command, inside in _COMMAND.findall(text):
        target, *words = inside.split()
        if command.lower() == _DEFINING:
            macros = (_MACRO.fullmatch(word) for word in words if word not in _SCOPES)
            defined[target] |= {macro[1] for macro in macros if macro}
        elif not command.lower().startswith("set"):
            for word in words:
                if get_suffix(word) in SOURCE_SUFFIXES:
                    targets[posixpath.normpath(posixpath.join(folder, word))].add(
                        target
                    )
    for source, made in targets.items():
        every = [frozenset(defined[target]) for target in sorted(made)]
        differing = frozenset[str]().union(*every) - frozenset.intersection(*every)
        if differing:
            yield source, differing
