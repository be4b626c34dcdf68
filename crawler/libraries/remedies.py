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
from crawler.libraries.include_roots import IncludeRoot, find_include_root
from crawler.libraries.interface import HeaderLibrary

MAX_LISTED_HEADERS: Final = 3
_LIKE_LETTERS: Final = 4
_OTHER_ADVICE: Final = "put them into the project's folder, and crawl that"


def explain_missing_library(name: str) -> str:
    """Return how to install a library that units of it are compiled with."""
    library = get_known(name)
    if library is None:
        return f"this Kernelset knows no library {name}: use the one that made the unit"

    return f"{library.title} is not installed: {_advise(library)}"


def explain_missing_headers(
    missing: Sequence[str], unavailable: Sequence[str] = (), *, name: str = ""
) -> str:
    """Return whose headers are missing, and what to do about it.

    `unavailable` says of repositories that the project declares why they could not be had. A
    header that is a known library's was never among a project's sources. `name` is what nothing
    declares: headers that begin as it does, as `nvshmem.h` and `nvshmem_quiet`, are the reason.
    """
    missing = _select_like(missing, name) or missing
    for header in missing:
        library = find_claiming(header)
        if library is not None:
            return f"{header} is {_name_owner(library)}: {_advise(library)}"

    if unavailable:
        return f"{missing[0]} not among the sources: {unavailable[0]}"

    for header in missing:
        root = find_include_root(header)
        if root is not None:
            return f"{header} is {root.title}'s: {_advise_on_root(root)}"

    listed = ", ".join(missing[:MAX_LISTED_HEADERS])
    if len(missing) > MAX_LISTED_HEADERS:
        listed += ", …"

    return f"{listed} not among the sources: {_OTHER_ADVICE}"


def _select_like(headers: Sequence[str], name: str) -> list[str]:
    """Return the headers with a folder or file whose name begins as `name` does."""
    beginning = name.lstrip("_").lower()[:_LIKE_LETTERS]
    if len(beginning) < _LIKE_LETTERS:
        return []

    return [
        header
        for header in headers
        if any(part.startswith(beginning) for part in header.lower().split("/"))
    ]


def _advise_on_root(root: IncludeRoot) -> str:
    advice = []
    if root.package:
        advice.append(f"let `debian_headers` take Debian's {root.package}")
    if root.repository:
        advice.append(f"take the headers of {root.repository}, {_OTHER_ADVICE}")
    return ", or ".join(advice) or _OTHER_ADVICE


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
