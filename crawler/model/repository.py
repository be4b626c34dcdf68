"""Repositories, checkouts and licences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class LicenceClass(StrEnum):
    """What a licence lets a user of the dataset do."""

    PERMISSIVE = "permissive"
    COPYLEFT = "copyleft"
    RESTRICTED = "restricted"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """An SPDX expression, its class, and what it was concluded from."""

    spdx: str = "NOASSERTION"
    """SPDX licence expression, or `NOASSERTION`."""
    kind: LicenceClass = LicenceClass.NONE
    """`permissive`, `copyleft`, `restricted`, or `none` where no licence was found."""
    evidence: str = ""
    """For a person: `PKG-INFO: License-Expression`, `LICENSE: text`, `header of src/a.cu`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repo:
    """A repository or a release archive, at one pinned version."""

    source: str
    """Name of the source plugin: `pypi`, `git`, `local`."""
    owner: str
    """The organisation or user; empty where the source has none."""
    name: str
    """`mmcv`; for an sdist, the project's name with underscores."""
    url: str
    """Where it is fetched from, without credentials."""
    ref: str
    """What was asked for: a version, branch, tag; empty for the default."""
    commit: str
    """The pinned content: a git commit id, or `sha256:…` of an archive or a folder's listing."""
    licence: Licence = Licence()
    """Of the repository as a whole; a file may have another."""
    id: str = ""
    """The host's own number of the repository, which a new name does not change; empty where it
    has none.
    """
    kilobytes: int = 0
    """How much the host says that it weighs, with its history; 0 where unknown, and once it is
    pinned.
    """
    pushed_at: str = ""
    """ISO 8601, UTC; empty where unknown, and once it is pinned."""

    @property
    def label(self) -> str:
        """`OWNER/NAME`, or the name alone where its source has no owners."""
        return f"{self.owner}/{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The files of a repository on this machine's disk."""

    repo: Repo
    root: Path
    submodules: tuple[str, ...] = ()
    """`path@commit` of each submodule that is not here."""
    absent_sources: tuple[str, ...] = ()
    """Paths of sources that the commit names, and that its repository, a partial clone, lacks."""
    downloaded_bytes: int = 0
    """What it cost to bring; 0 where that is not known."""
