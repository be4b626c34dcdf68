"""Fetch of a commit only the headers that certain includes lead to."""

from __future__ import annotations

import posixpath
import re
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.errors import TooLarge
from crawler.sources.git_client.remote import Remote
from crawler.sources.git_client.repository import BareRepository
from crawler.sources.git_client.tree import is_usable_path
from crawler.sources.interface import Limits

_FILE_MODES: Final = frozenset({"100644", "100755"})
_SUBMODULE_MODE: Final = "160000"
_HEADER: Final = re.compile(
    r"(?:.*/)?(?:[^/.]+|[^/]+\.(?:h|hh|hpp|hxx|h\+\+|cuh|inl|inc|ipp|tpp|tcc|impl|cuinl|def))"
)
"""Those of some libraries have no suffix: `Eigen/Dense`."""
# paths in a commit
_DECLARING_FILE: Final = re.compile(
    r"(?:[^/]+/){0,3}(?:CMakeLists\.txt|[^/]+\.cmake|\.gitmodules|WORKSPACE|MODULE\.bazel"
    r"|[^/]+\.wrap)"
)
_LICENCE_FILE: Final = re.compile(r"(?:licen[cs]e|copying|notice)[^/]*", re.IGNORECASE)
_UNINSTALLED_FOLDER: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|examples?|bench(?:mark)?s?|docs?|samples?|\.[^/]+)/",
    re.IGNORECASE,
)


def is_header(path: str) -> bool:
    """Tell by a file's name whether it may be included."""
    return _HEADER.fullmatch(path) is not None


def is_in_uninstalled_folder(path: str) -> bool:
    """Tell whether a file lies where a project keeps what it does not install: tests, samples."""
    return _UNINSTALLED_FOLDER.search(path) is not None


@dataclass(frozen=True, slots=True)
class FetchedHeaders:
    """What came of a repository."""

    includes: frozenset[str]
    """Those of the includes asked for that it has."""
    submodules: tuple[tuple[str, str], ...]
    """(folder, commit)."""


def fetch_headers(
    remote: Remote,
    commit: str,
    wanted: Collection[str],
    destination: Path,
    limits: Limits,
) -> FetchedHeaders:
    """Put the headers behind `wanted` includes under `destination`, with those that lie beside
    them, the licence, and what declares further repositories.

    The trees come first: where they have none of the includes, nothing else is fetched.
    """
    with tempfile.TemporaryDirectory() as folder:
        repository = BareRepository.create(
            Path(folder) / "git", remote, limits, commit=commit
        )
        repository.fetch([commit], "--depth=1", "--filter=blob:none")
        files, submodules = _read_tree(repository, commit)
        roots = _find_roots(files, wanted)
        includes = frozenset(include for include, _ in roots)
        if includes:
            chosen = _choose_files(files, {root for _, root in roots})
            _write_files(repository, chosen, destination)

    return FetchedHeaders(includes=includes, submodules=tuple(submodules.items()))


def _read_tree(
    repository: BareRepository, commit: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the object ids of the files that may be wanted, and the submodules, by path."""
    files: dict[str, str] = {}
    submodules: dict[str, str] = {}
    for count, entry in enumerate(repository.iter_tree(commit), 1):
        if count > repository.limits.files:
            raise TooLarge(f"{repository.remote.url} has over {count - 1} files")

        path = entry.path.decode("utf-8", "surrogateescape")
        if not is_usable_path(path):
            continue
        if entry.mode == _SUBMODULE_MODE:
            submodules[path] = entry.oid
        elif entry.mode in _FILE_MODES:
            files[path] = entry.oid

    return files, submodules


def _find_roots(
    files: Iterable[str], wanted_headers: Collection[str]
) -> set[tuple[str, str]]:
    """Return the includes that a tree has, each with the include path that leads to it.

    Of several files that one may mean the least deep is meant; a bare `config.h` means a file only
    where the tree has no other of that name.
    """
    wanted_by_name: dict[str, list[str]] = {}
    for include in wanted_headers:
        wanted_by_name.setdefault(posixpath.basename(include), []).append(include)

    roots_by_include: dict[str, list[str]] = {}
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        for include in wanted_by_name.get(posixpath.basename(path), ()):
            if path == include or path.endswith(f"/{include}"):
                roots = roots_by_include.setdefault(include, [])
                roots.append(path[: -len(include)].rstrip("/"))

    return {
        (include, roots[0])
        for include, roots in roots_by_include.items()
        if "/" in include or len(roots) == 1
    }


def _choose_files(files: dict[str, str], roots: set[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for path, oid in files.items():
        is_declaring = _DECLARING_FILE.fullmatch(path) is not None
        if is_declaring or _LICENCE_FILE.fullmatch(path) is not None:
            chosen[path] = oid
            continue

        inside = [
            path[len(root) :] if root else f"/{path}"
            for root in roots
            if not root or path.startswith(f"{root}/")
        ]
        is_included = any(not is_in_uninstalled_folder(rest) for rest in inside)
        if is_included and is_header(path):
            chosen[path] = oid

    return chosen


def _write_files(
    repository: BareRepository, chosen: dict[str, str], destination: Path
) -> None:
    limits = repository.limits
    missing = set(chosen.values()) - repository.read_blob_sizes().keys()
    if missing:
        repository.fetch(sorted(missing))

    sizes = repository.read_blob_sizes()
    kept_files = {
        path: oid
        for path, oid in chosen.items()
        if sizes.get(oid, limits.file_bytes + 1) <= limits.file_bytes
    }
    if sum(sizes[oid] for oid in kept_files.values()) > limits.unpacked_bytes:
        raise TooLarge(
            f"the headers of {repository.remote.url} have over "
            f"{limits.unpacked_bytes} bytes"
        )

    contents = repository.read_blobs(list(kept_files.values()))
    for path, content in zip(kept_files, contents, strict=True):
        file = destination / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
