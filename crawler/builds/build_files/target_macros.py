"""Macros that differ between CMake targets built from the same source."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from crawler.builds.build_files.build_hints import CMAKE_SCOPES
from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.checkout.source_tree import SourceTree

# what CMake reads, by its path
_CMAKE_FILE: Final = re.compile(r"(?:^|/)CMakeLists\.txt$|\.cmake$")
_DEFINING_COMMAND: Final = "target_compile_definitions"
# CMake's text: a command whose arguments hold no brackets, and then one of these. What a comment
# names beside has no target
_COMMAND: Final = re.compile(r"(?<![\w$])([A-Za-z]\w{0,80})[ \t]*\(([^()]{1,4000})\)")
_MACRO: Final = re.compile(r"(?:-D)?([A-Za-z_]\w*)(?:=.*)?")
_MAX_FILES: Final = 2_000


@lru_cache(maxsize=1)
def find_target_specific_macros(tree: SourceTree) -> Mapping[str, frozenset[str]]:
    """Return, by source, the macros that some of its targets define and others do not.

    Targets and their sources must be named in one file, as words of their own.
    """
    macros_by_source: dict[str, frozenset[str]] = {}
    cmake_files = [path for path in tree.files if _CMAKE_FILE.search(path)]

    for path in cmake_files[:_MAX_FILES]:
        # most files of CMake define nothing for a target
        text = tree.read_text(path)
        if _DEFINING_COMMAND not in text:
            continue

        macros_by_source.update(_find_differing_macros(text, posixpath.dirname(path)))

    return macros_by_source


def _find_differing_macros(
    text: str, folder: str
) -> Iterator[tuple[str, frozenset[str]]]:
    macros_by_target: dict[str, set[str]] = defaultdict(set)
    targets_by_source: dict[str, set[str]] = defaultdict(set)

    for command, arguments in _COMMAND.findall(text):
        # e.g. `endif( )`
        if arguments.isspace():
            continue

        target, *words = arguments.split()
        command_name = command.lower()
        if command_name == _DEFINING_COMMAND:
            macros_by_target[target].update(_iter_macro_names(words))
            continue

        # `set(SOURCES k.cu)` names a variable, any other command with a source a target:
        # add_library, cuda_add_executable, or a function of the project
        if command_name.startswith("set"):
            continue

        for word in words:
            if get_suffix(word) not in SOURCE_SUFFIXES:
                continue

            source = posixpath.normpath(posixpath.join(folder, word))
            targets_by_source[source].add(target)

    for source, targets in targets_by_source.items():
        macro_sets = [macros_by_target[target] for target in targets]
        defined_by_some = set.union(*macro_sets)
        defined_by_all = set.intersection(*macro_sets)

        differing_macros = defined_by_some - defined_by_all
        if differing_macros:
            yield source, frozenset(differing_macros)


def _iter_macro_names(words: list[str]) -> Iterator[str]:
    for word in words:
        match = _MACRO.fullmatch(word)
        if match is not None and word not in CMAKE_SCOPES:
            yield match[1]
