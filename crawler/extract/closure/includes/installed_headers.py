"""Let a unit include the headers of an installed library in place of our shim of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from clang.cindex import CursorKind

from crawler.cpp.library_comment import SHIM_VERSION
from crawler.extract.clang.cursor_queries import get_included_file_name
from crawler.extract.clang.scoped_cursors import ScopedCursor
from crawler.libraries.discovery import find_claiming, find_installed, get_known
from crawler.libraries.interface import HeaderLibrary
from crawler.libraries.view import list_view_folders

LibraryVersions = tuple[tuple[str, str], ...]
"""(name of a library, its version or `shim`)."""


def find_installed_headers(
    scoped_cursors: Iterable[ScopedCursor], libraries: Iterable[str]
) -> dict[str, str]:
    """Return which headers of installed libraries the project's own files include, in order, as
    `<thrust/sort.h>`, each with the library that it was read from.

    Directives are asked: a header that another of the library has included is not entered again.
    """
    views = list_view_folders(libraries)
    library_by_header: dict[str, str] = {}
    for scoped_cursor in scoped_cursors if views else ():
        cursor = scoped_cursor.cursor
        if cursor.kind is not CursorKind.INCLUSION_DIRECTIVE:
            continue

        path = get_included_file_name(cursor)
        for library, view in views.items():
            if path.startswith(f"{view}/"):
                header = path.removeprefix(f"{view}/")
                library_by_header[f"<{header}>"] = library

    return library_by_header


def replace_shims(
    includes: Iterable[str], words: Collection[str], installed_headers: Iterable[str]
) -> tuple[str, ...]:
    """Return the includes of a unit that uses `words`, with the headers of those installed
    libraries that it names in place of our shims, in the order in which its project includes
    them.
    """
    needed = []
    for header in installed_headers:
        library = find_claiming(header)
        if library is not None and _is_named(library, words):
            needed.append(header)

    replaced = {_name_library(header) for header in needed}
    remaining_headers = [
        header
        for header in includes
        if not _name_library(header) or _name_library(header) not in replaced
    ]
    return (*remaining_headers, *needed)


def list_versions(
    includes: Iterable[str], installed_headers: Mapping[str, str]
) -> LibraryVersions:
    """Return which libraries a unit's includes are of, and whether as they are installed.

    `installed_headers` are with the library that each was read from, which may hold others:
    `<thrust/sort.h>` of CCCL needs CCCL.
    """
    versions: dict[str, str] = {}
    for header in includes:
        name = installed_headers.get(header) or _name_library(header)
        if not name:
            continue

        versions.setdefault(name, SHIM_VERSION)
        installed = find_installed(name)
        if header in installed_headers and installed is not None:
            versions[name] = installed.version

    return tuple(sorted(_add_companions(versions).items()))


def _add_companions(versions: dict[str, str]) -> dict[str, str]:
    """Return the libraries with those installed ones that their own headers include."""
    completed = dict(versions)
    for name, version in versions.items():
        library = get_known(name)
        if library is None or version == SHIM_VERSION:
            continue

        for companion in filter(None, map(find_installed, library.companions)):
            completed[companion.name] = companion.version

    return completed


def _name_library(header: str) -> str:
    library = find_claiming(header)
    return library.name if library else ""


def _is_named(library: HeaderLibrary, words: Collection[str]) -> bool:
    if any(namespace in words for namespace in library.namespaces):
        return True

    return any(word.startswith(library.macro_prefixes) for word in words)
