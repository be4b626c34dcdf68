"""Paths that the flags of a command name, as the checkout has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

PathMapper = Callable[[str], str | None]
"""Maps a path of the command line to one relative to the checkout's root; `None` where it is
outside.
"""
_SYSTEM_INCLUDE_FOLDERS: Final = ("/usr/include/", "/usr/local/include/")
_SHADOWED_FOLDER: Final = re.compile(
    r"(?i)cuda|nvidia|rocm|/hip(?:/|$)|/torch(?:/|$)|/c\+\+(?:/|$)|linux-gnu(?:/|$)"
)
"""Folders whose headers would clash with our own for toolkits, PyTorch and the libraries."""
_QUOTED_PATH: Final = re.compile(
    r'(?P<name>[A-Za-z_]\w*)=(?P<quote>["<])(?P<path>/[^">]+)[">]'
)
"""A macro that names a header by where the build has it, e.g. `-DCONFIG="/build/config.h"`."""


def relocate_named_header(
    value: str, map_path: PathMapper, exists: Callable[[str], bool]
) -> str:
    """Return a macro and its value with the checkout's path of the file that it names.

    `#include CONFIG` finds that from the checkout's root. The value stays where it names none.
    """
    match = _QUOTED_PATH.fullmatch(value)
    mapped_path = map_path(match["path"]) if match else None
    if match is None or mapped_path is None or not exists(mapped_path):
        return value

    opening = match["quote"]
    closing = '"' if opening == '"' else ">"
    return f"{match['name']}={opening}{mapped_path}{closing}"


def is_system_library(path: str) -> bool:
    """Tell whether an absolute path has headers of a library that clashes with none of ours.

    `/usr/include/eigen3` does, `/usr/include` itself and `/usr/local/cuda/include` do not.
    """
    folder = f"{path}/"
    if not folder.startswith(_SYSTEM_INCLUDE_FOLDERS):
        return False

    return folder not in _SYSTEM_INCLUDE_FOLDERS and not _SHADOWED_FOLDER.search(folder)


def protect_path(path: str) -> str:
    """Keep a path from being read as a flag or as a response file where it is a word of its own."""
    return f"./{path}" if path.startswith(("-", "@")) else path
