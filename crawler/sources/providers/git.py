"""Git source: `git+https://HOST/OWNER/NAME@REF`, pinned to a commit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from crawler.model import Checkout, Repo
from crawler.sources.git_client.fetch import fetch_commit
from crawler.sources.git_client.remote import is_git_locator, parse_git_locator
from crawler.sources.git_client.resolve import resolve_commit
from crawler.sources.interface import Source, SourceOptions


class Git:
    """Any repository that git reaches by HTTPS, SSH, its own protocol, or as a folder."""

    name = "git"
    example = "git+https://example.org/owner/name.git@v1.0"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator is a URL, or `USER@HOST:PATH`."""
        return is_git_locator(locator)

    def check_form(self, locator: str) -> None:
        """Raise `NotFound` where no repository can be called so."""
        parse_git_locator(locator)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator names all repositories of an owner: never here."""
        return False

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the repository, pinned to a commit; raises `NotFound`, `NetworkDown`."""
        remote = parse_git_locator(locator)
        yield Repo(
            source=self.name,
            owner=remote.owner,
            name=remote.name,
            url=remote.url,
            ref=remote.ref,
            commit=resolve_commit(remote, options.limits),
        )

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Return the repository as it is: `list` has pinned it."""
        return repo

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Fetch the one commit, and only what a build or a parse could read of it.

        No hook and no filter runs. Raises `NotFound`, `NetworkDown`, `TooLarge`, and
        `BadArchive` for a malformed repository.
        """
        return fetch_commit(repo, destination, options)


PLUGIN: Final[Source] = Git()
