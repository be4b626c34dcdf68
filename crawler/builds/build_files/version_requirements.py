"""Collect version requirements from packaging metadata, CMake files, conda environments and
Dockerfiles.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from crawler.builds.build_files.requirement_readers import (
    READERS,
    RequirementMatch,
    RequirementReader,
)
from crawler.checkout.source_tree import SourceTree, is_vendored
from crawler.model import VersionRequirement

_MAX_FILES: Final = 60
"""Files of one kind that are read."""
_MAX_DEPTH: Final = 3
_MAX_FILE_CHARS: Final = 1 << 20
_MAX_REQUIREMENTS: Final = 200
# a line of Python, in a file that may be of any version
_PKG_RESOURCES_IMPORT: Final = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+pkg_resources\b", re.MULTILINE
)


def find_version_requirements(tree: SourceTree) -> Iterator[VersionRequirement]:
    """Yield what each file requires, metadata of the package first, containers last."""
    yielded: set[tuple[str, str]] = set()
    for path, match in _find_matches(tree):
        key = (match.name, match.specifier)
        if key in yielded or len(yielded) >= _MAX_REQUIREMENTS:
            continue

        yielded.add(key)
        yield VersionRequirement(
            name=match.name,
            asked=match.specifier,
            evidence=f"{path}: {match.place}",
        )


def find_pkg_resources_import(tree: SourceTree) -> str:
    """Return the outermost `setup.py` that imports `pkg_resources`, empty where none does."""
    for path in tree.find_named("setup.py"):
        if is_vendored(path):
            continue
        if _PKG_RESOURCES_IMPORT.search(tree.read_text(path)):
            return path

    return ""


def _find_matches(tree: SourceTree) -> Iterator[tuple[str, RequirementMatch]]:
    for pattern, reader in READERS:
        paths = [
            path
            for path in tree.files
            if pattern.search(path)
            and path.count("/") <= _MAX_DEPTH
            and not is_vendored(path)
        ]

        paths.sort(key=lambda path: (path.count("/"), path))

        for path in islice(paths, _MAX_FILES):
            # a lock file may be very long
            text = tree.read_text(path)[:_MAX_FILE_CHARS]
            for match in _read_leniently(reader, text):
                yield path, match


def _read_leniently(reader: RequirementReader, text: str) -> Iterator[RequirementMatch]:
    """Yield a reader's requirements up to the place where the file is broken."""
    try:
        yield from reader(text)
    except (
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
        MemoryError,
        SyntaxError,
        configparser.Error,
    ):
        return
