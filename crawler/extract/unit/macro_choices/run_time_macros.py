"""Macros that a program gives the compiler as it runs: `-DTILE=…` for NVRTC, or a name in quotes.

A kernel that is compiled for the sizes of a problem names them, and nothing in the project
defines them; where the host's code has the name in a string, a small number stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.extract.operators.project_files import iter_project_files
from crawler.extract.unit.missing_headers.assumed_types import find_unknown_names

_SIZE: Final = 4
"""Large enough for loops to turn and for arrays to have a middle, small enough for shared memory
of its third power.
"""
MAX_MACROS: Final = 24
# raw text of any file: a name as one string, as an option's beginning, or behind one
_GIVEN_NAME: Final = re.compile(rb'(?:"|-D\s?)([A-Z][A-Z0-9_]{2,60}+)(?=["=\s%])')
_MAX_FILES: Final = 3_000
_MAX_FILE_BYTES: Final = 1 << 20
_MAX_TOTAL_BYTES: Final = 32 << 20
_SUFFIXES: Final = SOURCE_SUFFIXES | {"py", "h", "hpp", "hh"}


def assume_run_time_macros(
    messages: Iterable[str], known_names: Collection[str], root: Path
) -> list[str]:
    """Return definitions of the macros that a unit's errors miss and its program gives as it runs.

    None where one of the names that they miss is no such macro.
    """
    names = find_unknown_names(messages, known_names)
    # most units lack something else, for which nothing is searched
    if not names or len(names) > MAX_MACROS or not all(map(str.isupper, names)):
        return []
    if not read_given_names(str(root)).issuperset(names):
        return []

    return [f"#define {name} {_SIZE}" for name in names]


@lru_cache(maxsize=4)
def read_given_names(root: str) -> frozenset[str]:
    """Return the names that stand in strings of a project's sources as macros do."""
    folder = Path(root)
    names: set[str] = set()
    remaining = _MAX_TOTAL_BYTES
    paths = (
        path for path in iter_project_files(folder) if get_suffix(path) in _SUFFIXES
    )
    for path in islice(paths, _MAX_FILES):
        file = folder / path
        if file.is_symlink() or not file.is_file():
            continue

        size = file.stat().st_size
        if size > _MAX_FILE_BYTES or remaining < size:
            continue
        remaining -= size
        names.update(name.decode() for name in _GIVEN_NAME.findall(file.read_bytes()))

    return frozenset(names)
