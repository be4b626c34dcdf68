"""Headers of other repositories that a project declares, in a folder of their own in its checkout.

They are there to be included: what they hold is no part of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from crawler.codec import decode, encode
from crawler.model import DEPENDENCY_FOLDER, Dependency

_REPORT: Final = f"{DEPENDENCY_FOLDER}/report.json"
# the name of a folder or a repository
_WORD: Final = re.compile(r"[^a-z0-9]+")
_MAX_REPORT_BYTES: Final = 1 << 20


def is_dependency_file(path: str) -> bool:
    """Tell whether a file of a checkout is of another repository that its project declares."""
    return path.startswith(f"{DEPENDENCY_FOLDER}/")


def is_named_like(name: str, header: str) -> bool:
    """Tell whether an include is called like a dependency: `catch2/catch.hpp` like `Catch2`."""
    first = header.partition("/")[0].partition(".")[0]
    return _simplify(first) == _simplify(name)


def write_report(root: Path, dependencies: list[Dependency]) -> None:
    """Keep what came of a project's dependencies in its checkout."""
    report = root / _REPORT
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_bytes(encode(dependencies))


@lru_cache(maxsize=4)
def read_report(root: Path) -> tuple[Dependency, ...]:
    """Return what came of the dependencies of a checkout; none where nobody looked."""
    report = root / _REPORT
    if report.is_symlink() or not report.is_file():
        return ()
    if report.stat().st_size > _MAX_REPORT_BYTES:
        return ()

    return decode(report.read_bytes(), tuple[Dependency, ...])


def select_dependencies(root: Path, files: Iterable[str]) -> tuple[Dependency, ...]:
    """Return the dependencies that some of a checkout's files are of, and those that could not be
    had.
    """
    dependencies = read_report(root)
    if not dependencies:
        return ()

    folders = {"/".join(path.split("/")[:3]) for path in files}
    return tuple(
        dependency
        for dependency in dependencies
        if dependency.problem or dependency.folder in folders
    )


def _simplify(name: str) -> str:
    return _WORD.sub("", name.lower())
