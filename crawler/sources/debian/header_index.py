"""Which of Debian's packages hold headers, by the index that apt-file keeps."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from crawler import cache, process
from crawler.errors import MissingTool
from crawler.process_limits import Limits

_INCLUDE_ROOT: Final = "usr/include"
# one folder of a path
_ARCHITECTURE_FOLDER: Final = re.compile(r"[a-z0-9_]+-linux-gnu\w*")
# the name of a package, or of a library
_NO_LETTER: Final = re.compile(r"[^a-z]+")
_MAX_LISTING_BYTES: Final = 256 << 20
_SEARCH_LIMITS: Final = Limits(seconds=300.0)
_LISTING: Final = "headers.txt"
_ADVICE: Final = (
    "debian_headers needs apt-file with its index: run `apt-get install apt-file` and "
    "`apt-get update`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPackage:
    """A package and what it has of the headers that were asked for."""

    name: str
    headers: frozenset[str]
    include_paths: frozenset[str]
    """Folders below `/usr/include` under which those lie; empty for that folder itself."""


def find_header_packages(headers: Collection[str]) -> list[HeaderPackage]:
    """Return the fewest packages that have these headers, as far as one has them.

    Raises `MissingTool` where apt-file is not installed or has no index.
    """
    wanted_headers = sorted(header for header in headers if "/" in header)
    if not wanted_headers:
        return []

    with _open_listing() as listing:
        return choose_packages(wanted_headers, listing)


def _open_listing() -> TextIO:
    """Open the headers of all packages, `PACKAGE: /PATH` a line, which is kept in the cache."""
    folder = cache.get_or_build(
        f"debian-headers-{_digest_index()}", _write_listing, required_file=_LISTING
    )
    if folder is None:
        raise MissingTool(_ADVICE)

    return (folder / _LISTING).open(encoding="utf-8", errors="replace")


def _digest_index() -> str:
    """Return the sha256 of what apt last fetched of the lists that apt-file reads."""
    format_words = ("--format", "$(FILENAME)", "Created-By: Contents-deb")
    targets = process.run(["apt-get", "indextargets", *format_words])
    files = [Path(line) for line in targets.output.decode().splitlines()]
    states = [(file.name, file.stat()) for file in files if file.is_file()]
    if not states:
        raise MissingTool(_ADVICE)

    words = [(name, state.st_size, state.st_mtime_ns) for name, state in states]
    return hashlib.sha256(repr(sorted(words)).encode()).hexdigest()


def _write_listing(folder: Path) -> bool:
    search = process.run(
        ["apt-file", "search", "--regexp", f"^/{_INCLUDE_ROOT}/"],
        limits=_SEARCH_LIMITS,
        keep=_MAX_LISTING_BYTES,
    )
    if search.exit_code:
        return False

    (folder / _LISTING).write_bytes(search.output)
    return True


def choose_packages(
    headers: Collection[str], listing: Iterable[str]
) -> list[HeaderPackage]:
    """Return the fewest packages of a listing, `PACKAGE: /PATH` a line, that have the headers.

    A package counts only where it is called like a folder of the header, and where the header
    lies as includes of it are written: `opencv2/core.hpp` is libopencv-core-dev's in
    `/usr/include/opencv4`, and `fmt/core.h` is not libvtk9-dev's, which holds a copy deep below.
    """
    places = _read_places(headers, listing)
    chosen: list[HeaderPackage] = []
    remaining = set(headers)
    while places:
        # of those that have as many, the shortest name: not `…-mingw-w64-dev`
        name = min(
            places,
            key=lambda name: (-len(remaining & places[name].keys()), len(name), name),
        )
        own_places = places.pop(name)
        own_headers = remaining & own_places.keys()
        if not own_headers:
            break

        remaining -= own_headers
        include_paths = frozenset(own_places[header] for header in own_headers)
        package = HeaderPackage(
            name=name, headers=frozenset(own_headers), include_paths=include_paths
        )
        chosen.append(package)

    return chosen


def _read_places(
    headers: Collection[str], listing: Iterable[str]
) -> dict[str, Mapping[str, str]]:
    """Return the include path that leads to each header, by package and header."""
    by_file_name: dict[str, list[str]] = defaultdict(list)
    for header in headers:
        by_file_name[posixpath.basename(header)].append(header)

    places: dict[str, dict[str, str]] = defaultdict(dict)
    for line in listing:
        package, _, place = line.rstrip("\n").partition(": ")
        path = place.lstrip("/")
        for header in by_file_name.get(posixpath.basename(path), ()):
            if not path.endswith(f"/{header}") or not _is_called_like(package, header):
                continue
            folder = path.removesuffix(f"/{header}")
            include_path = folder.removeprefix(_INCLUDE_ROOT).strip("/")
            if _is_usual_include_path(include_path, header):
                places[package].setdefault(header, include_path)

    return dict(places)


def _is_called_like(package: str, header: str) -> bool:
    name = _keep_letters(package)
    folders = map(_keep_letters, header.split("/")[:-1])
    return any(folder and folder in name for folder in folders)


def _is_usual_include_path(include_path: str, header: str) -> bool:
    """Tell whether what lies below a folder is included from there on: the usual folder, that of
    an architecture, or one that is called like the first of the include, as `eigen3/Eigen`.
    """
    folders = include_path.split("/") if include_path else []
    if folders and _ARCHITECTURE_FOLDER.fullmatch(folders[0]):
        del folders[0]
    if not folders:
        return True

    first = _keep_letters(header.partition("/")[0])
    return len(folders) == 1 and _keep_letters(folders[0]) == first


def _keep_letters(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())
