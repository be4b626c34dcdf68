"""The seam between a locator and the files of a repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from crawler.model import Checkout, Repo


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what is fetched and unpacked."""

    download_bytes: int = 512 << 20
    unpacked_bytes: int = 4 << 30
    file_bytes: int = 256 << 20
    files: int = 200_000
    seconds: float = 900.0


class Source(Protocol):
    """A place that repositories come from; one file each, which ends with `PLUGIN: Final[Source]`."""

    name: str
    """The word before the colon of its locators: `pypi`, `git`, `local`."""
    example: str
    """A locator that a user could type."""

    def claims(self, locator: str) -> bool:
        """Tell whether this locator is written in this source's form; never touches disk or network."""
        ...

    def list(self, locator: str, limits: Limits) -> Iterator[Repo]:
        """Yield each repository that the locator names, pinned to a commit.

        Raises `NotFound`, `NetworkDown`, `RateLimited`; never runs anything of the repository, and puts no
        credentials into a `Repo`.
        """
        ...

    def fetch(self, repo: Repo, destination: Path, limits: Limits) -> Checkout:
        """Put the repository's regular files under `destination`, an empty folder; on an error it is empty again.

        No symbolic links, devices, hooks or submodules, and no names with control characters; what no build and no
        parse reads may be left out. Raises `BadArchive`, `TooLarge`, `NotFound`, `NetworkDown`.
        """
        ...
