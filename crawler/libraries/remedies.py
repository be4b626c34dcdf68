"""Say what to do about a header library that is not installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.libraries.discovery import (
    FOLDERS_VARIABLE,
    find_claiming,
    find_installed,
    get_known,
)
from crawler.libraries.interface import HeaderLibrary

MAX_LISTED_HEADERS: Final = 3
_OTHER_ADVICE: Final = (
    "crawl the repository with its submodules, or a release that has them"
)


def explain_missing_library(name: str) -> str:
    """Return how to install a library that units of it are compiled with."""
    library = get_known(name)
    if library is None:
        return f"this Kernelset knows no library {name}: use the one that made the unit"

    return f"{library.title} is not installed: {_advise(library)}"


def explain_missing_headers(missing: Sequence[str]) -> str:
    """Return whose headers are missing, and what to do about it.

    A header that is a known library's was never among a project's sources.
    """
    for header in missing:
        library = find_claiming(header)
        if library is not None:
            return f"{header} is {_name_owner(library)}: {_advise(library)}"

    listed = ", ".join(missing[:MAX_LISTED_HEADERS])
    if len(missing) > MAX_LISTED_HEADERS:
        listed += ", …"

    return f"{listed} not among the sources: {_OTHER_ADVICE}"


def _name_owner(library: HeaderLibrary) -> str:
    return f"{library.title}'s"


def _advise(library: HeaderLibrary) -> str:
    installed = find_installed(library.name)
    if installed is not None:
        return (
            f"{installed.version}, which is here, does not have it or was of no help, "
            f"so name another version's folder in {FOLDERS_VARIABLE}"
        )

    packages = " and ".join(library.packages)
    if library.wheels:
        packages = f"the wheel {' and '.join(library.wheels)} beside Kernelset"
    if not packages:
        return f"name a folder that has it in {FOLDERS_VARIABLE}"

    return f"install {packages}, or name its folder in {FOLDERS_VARIABLE}"
