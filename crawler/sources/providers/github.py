"""GitHub source: `github:OWNER` lists repositories, `github:OWNER/REPO[@REF]` names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import CrawlError, NotFound, Rejected
from crawler.model import Checkout, Repo
from crawler.sources.git_client.fetch import fetch_commit
from crawler.sources.git_client.remote import parse_git_locator
from crawler.sources.git_client.resolve import resolve_commit
from crawler.sources.github_api.client import GitHubClient
from crawler.sources.github_api.repositories import (
    Owner,
    RepositoryListing,
    find_skip_reason,
    parse_moment,
    to_repo,
)
from crawler.sources.interface import Source, SourceOptions

_PREFIX: Final = "github:"
# `github:owner/name@v1.2`
_LOCATOR: Final = re.compile(
    r"github:(?P<owner>[A-Za-z0-9][\w-]{0,99})(?:/(?P<name>[\w.-]{1,100}))?(?:@(?P<ref>.+))?",
    re.ASCII,
)
_PAGE_SIZE: Final = 100


class GitHub:
    """GitHub.com, or the Enterprise server that the option `github` names."""

    name = "github"
    example = "github:open-mmlab/mmcv@v2.2.0"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator begins with `github:`."""
        return locator.startswith(_PREFIX)

    def check_form(self, locator: str) -> None:
        """Raise `NotFound` where no owner and no repository can be called so."""
        _match_locator(locator)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator is `github:OWNER`."""
        match = _LOCATOR.fullmatch(locator)
        return match is not None and not match["name"]

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the one repository pinned, or all of an owner's without commits.

        Raises `NotFound`, `RateLimited`, `NetworkDown`, `BadCredentials`, `Rejected`.
        """
        match = _match_locator(locator)
        owner, name = match["owner"], match["name"]
        with GitHubClient(options) as client:
            if not name:
                yield from _list_owner(client, owner, options)
                return

            listing = client.get(f"/repos/{owner}/{name}", RepositoryListing)
            yield self.pin(to_repo(listing, match["ref"] or ""), options)

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Ask git, which costs no request of the API, for the newest commit.

        Raises `Rejected` where the repository is gone.
        """
        remote = replace(parse_git_locator(repo.url), ref=repo.ref)
        try:
            commit = resolve_commit(remote, options.limits)
        except NotFound as error:
            raise _translate_vanished(repo, error) from error

        return replace(
            repo,
            commit=commit,
            kilobytes=0,
            pushed_at="",
        )

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Fetch the commit as git does; raises `NoKernels` where its tree shows no kernel."""
        try:
            return fetch_commit(repo, destination, options, triage=True)
        except NotFound as error:
            raise _translate_vanished(repo, error) from error


def _match_locator(locator: str) -> re.Match[str]:
    match = _LOCATOR.fullmatch(locator)
    # no repository is called so, and an address with them would lead elsewhere
    names_folder = match is not None and match["name"] in (".", "..")
    if match is None or names_folder or (match["ref"] and not match["name"]):
        raise NotFound(
            f"`{locator[:200]}` names nothing: "
            "write github:OWNER or github:OWNER/REPO[@REF]",
            code="bad-locator",
        )
    return match


def _list_owner(
    client: GitHubClient, name: str, options: SourceOptions
) -> Iterator[Repo]:
    """Yield the repositories of an owner that the filter lets through, ordered by name.

    In any other order a push in the meantime could move one to a page that was read already.
    """
    # A date that cannot be read is refused before the first request.
    if options.wanted.pushed_since:
        parse_moment(options.wanted.pushed_since)

    # Organisations and users are listed at different addresses.
    owner = client.get(f"/users/{name}", Owner)
    kind = "orgs" if owner.type == "Organization" else "users"
    path = f"/{kind}/{owner.login}/repos?per_page={_PAGE_SIZE}&sort=full_name"
    seen_ids: set[int] = set()

    for page in client.iter_pages(path, list[RepositoryListing]):
        for listing in page:
            skip_reason = find_skip_reason(listing, options.wanted)
            if listing.id in seen_ids:
                continue

            seen_ids.add(listing.id)

            if skip_reason:
                options.report_skipped(to_repo(listing), skip_reason)
            else:
                yield to_repo(listing)


def _translate_vanished(repo: Repo, error: NotFound) -> CrawlError:
    # GitHub asks for a login for what does not exist, as for what is private.
    if error.code not in ("not-found", "auth-required"):
        return error
    return Rejected(
        f"{repo.owner}/{repo.name} went away since it was listed, "
        "or may no longer be seen: list its owner again",
        code="vanished",
    )


PLUGIN: Final[Source] = GitHub()
