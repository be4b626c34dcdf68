"""The header libraries that a kernel unit is compiled with as they are installed, in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SHIM_VERSION: Final = "shim"
"""What stands for the version of a library where a unit is made with our own header."""
# the first or second line of a unit, as the function below writes it
_COMMENT: Final = re.compile(r"\A(?://[^\n]*\n)?// with (\w+(?: \w+)*)$", re.MULTILINE)


def list_installed_names(libraries: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return those of the libraries that are no shims."""
    return tuple(name for name, version in libraries if version != SHIM_VERSION)


def format_library_comment(libraries: Iterable[tuple[str, str]]) -> str:
    """Return the line of a unit that includes installed libraries; empty where it has none.

    Without it the same words would mean our shims of them.
    """
    names = list_installed_names(libraries)
    return f"// with {' '.join(names)}\n" if names else ""


def read_recorded_libraries(source: str) -> tuple[str, ...]:
    """Return the libraries that a unit's text says it is compiled with."""
    comment = _COMMENT.match(source)
    return tuple(comment[1].split()) if comment else ()
