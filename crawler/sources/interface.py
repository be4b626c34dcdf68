"""Interface of repository sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from crawler.model import Checkout, Repo
from crawler.sources.options import Limits as Limits
from crawler.sources.options import SourceOptions as SourceOptions


class Source(Protocol):
    """A place that repositories come from.

    Each source is one file in `providers/`, which ends with `PLUGIN: Final[Source]`.
    """

    name: str
    """The word before the colon of its locators: `pypi`, `git`, `local`."""
    example: str
    """A locator that a user could type."""

    def claims(self, locator: str) -> bool:
        """Tell whether this locator is written in this source's form.

        Never touches disk or network.
        """
        ...

    def check_form(self, locator: str) -> None:
        """Raise `NotFound` (`bad-locator`) where a claimed locator can name nothing.

        Never touches disk or network: it is asked before anything is recorded.
        """
        ...

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all repositories of an owner.

        A repository that such a locator no longer lists has vanished.
        """
        ...

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield each repository that the locator names, pinned to a commit.

        Where a locator names many, they come without a commit: `pin` resolves each, as a task
        of its own. Raises `NotFound`, `NetworkDown`, `RateLimited`; never runs anything of the
        repository, and puts no credentials into a `Repo`.
        """
        ...

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository at its newest commit, where `list` gave it without one.

        Raises as `list` does.
        """
        ...

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Put the repository's regular files under `destination`, an empty folder.

        On an error the folder is empty again. There are no symbolic links, devices, hooks or
        submodules, and names are spelled as text (`spell_path`); what no build and no parse reads
        may be left out. Raises `BadArchive`, `TooLarge`, `NotFound`, `NetworkDown`.
        """
        ...
