"""Projects that a CMake project would fetch, given to it in the place of what it fetches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sandbox import Mount
from crawler.validate.suites.own_builds.stand_in_paths import NEEDED_MOUNT

# a CMake project's own name: `project(nlohmann_json VERSION 3.11)`
_PROJECT: Final = re.compile(r"\bproject\s*\(\s*\"?([\w.+-]{1,100})", re.IGNORECASE)
# what a name may be made of that is a folder, and part of a variable of CMake's
_NAME: Final = re.compile(r"\w[\w.+-]{0,99}")


def list_needed_mounts(needed: Sequence[SourceTree]) -> tuple[Mount, ...]:
    """Return where the projects `needed` lie inside."""
    return tuple(
        Mount(source=tree.root, target=f"{NEEDED_MOUNT}/{number}")
        for number, tree in enumerate(needed)
    )


def list_needed_flags(needed: Sequence[SourceTree]) -> list[str]:
    """Return the flags by which FetchContent and CPM take them for what they would fetch.

    Whoever declares one calls it by its name as a project, or by that of its repository.
    """
    flags: list[str] = []
    for number, tree in enumerate(needed):
        folder = f"{NEEDED_MOUNT}/{number}"
        for name in dict.fromkeys(_list_names(tree)):
            flags.append(f"-DFETCHCONTENT_SOURCE_DIR_{name.upper()}={folder}")
            flags.append(f"-DCPM_{name}_SOURCE={folder}")

    return flags


def _list_names(tree: SourceTree) -> Iterator[str]:
    if "CMakeLists.txt" in tree.files:
        match = _PROJECT.search(tree.read_text("CMakeLists.txt"))
        if match is not None:
            yield match[1]
    if _NAME.fullmatch(tree.root.name):
        yield tree.root.name
