"""What the files of a release hold, and the names that they have."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from crawler.codec import decode
from crawler.dataset.destination import MARKER_FILE
from crawler.errors import Misconfigured

DATA_FOLDER: Final = "data"
KERNELS_FILE: Final = "kernels.jsonl"
TOMBSTONES_FILE: Final = "tombstones.jsonl"
CHANGED: Final = "changed"
"""Reason of a tombstone whose kernel has other rows in this release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedKernel:
    """A kernel of a release, a line of `kernels.jsonl`."""

    kernel: str
    """The `id` of its row in the view `kernels`."""
    source: str
    """`pypi`, `github`, …"""
    owner: str
    name: str
    """Of its repository, without the owner."""
    commit: str
    path: str
    rows: int
    digest: str
    """sha256 over its rows, a line of JSON each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A kernel whose earlier rows have to go, a line of `tombstones.jsonl`."""

    kernel: str
    reason: str
    """`changed`, `opted-out`, `vanished`, `replaced`, `copy`, `in-benchmark`, `left-out`, or the
    class of a licence that is not taken any more.
    """
    repository: str
    commit: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFile:
    """A file of a release."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseManifest:
    """What `kernelset.json` says of a release; the last file that is written."""

    schema: str
    """Of the rows: `kernelset.pairs/1`."""
    view: str
    release: str
    since: str
    """The release that this one is the difference to; empty for a whole one."""
    options: tuple[tuple[str, str], ...]
    kernels: int
    """Of the whole release, those that did not change among them."""
    rows: int
    """In the files under `data`."""
    tombstones: int
    files: tuple[ReleaseFile, ...]


def read_manifest(folder: Path) -> ReleaseManifest:
    """Return what a release says of itself, whose list of kernels is as it was written.

    Raises `Misconfigured` (`bad-release`) for a folder that is no whole release.
    """
    try:
        manifest = decode((folder / MARKER_FILE).read_bytes(), ReleaseManifest)
        digests = {file.path: file.sha256 for file in manifest.files}
        if digests.get(KERNELS_FILE) != digest_file(folder / KERNELS_FILE):
            raise ValueError(f"{KERNELS_FILE} is not as it was written")
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise Misconfigured(
            f"{folder} is no release ({error}): give the folder that "
            "`kernelset export --release` wrote",
            code="bad-release",
        ) from error

    return manifest


def iter_kernels(folder: Path) -> Iterator[ReleasedKernel]:
    """Yield the kernels of a release whose manifest was read."""
    with (folder / KERNELS_FILE).open("rb") as file:
        for line in file:
            yield decode(line, ReleasedKernel)


def describe_files(root: Path) -> tuple[ReleaseFile, ...]:
    """Return all files of a folder by their names."""
    return tuple(
        ReleaseFile(
            path=path.relative_to(root).as_posix(),
            bytes=path.stat().st_size,
            sha256=digest_file(path),
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    )


def digest_file(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
