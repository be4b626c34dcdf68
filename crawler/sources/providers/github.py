"""GitHub source: `github:OWNER` lists repositories, `github:OWNER/REPO[@REF]` names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import CrawlError, NotFound, Rejected
from crawler.model import Checkout, Repo
from crawler.sources.git_client import remote
from crawler.sources.github_api.client import GitHubClient
from crawler.sources.github_api.repositories import (
    Owner,
    RepositoryListing,
    find_skip_reason,
    parse_moment,
    to_repo,
)
from crawler.sources.interface import Source, SourceOptions
from crawler.sources.providers import git

_PREFIX: Final = "github:"
_LOCATOR: Final = re.compile(
    r"github:(?P<owner>[A-Za-z0-9][\w-]{0,99})(?:/(?P<name>[\w.-]{1,100}))?(?:@(?P<ref>.+))?",
    re.ASCII,
)
_PAGE: Final = 100


class GitHub:
    """GitHub.com, or the Enterprise server that `github` names."""

    name = "github"
    example = "github:open-mmlab/mmcv@v2.2.0"

    def claims(self, locator: str) -> bool:
        """Tell whether the locator begins with `github:`."""
        return locator.startswith(_PREFIX)

    def is_owner(self, locator: str) -> bool:
        """Tell whether the locator is `github:OWNER`."""
        match = _LOCATOR.fullmatch(locator)
        return match is not None and not match["name"]

    def list(self, locator: str, options: SourceOptions) -> Iterator[Repo]:
        """Yield the one repository pinned, or an owner's without commits; raises `NotFound`,
        `RateLimited`…
        """
        match = _LOCATOR.fullmatch(locator)
        if match is None or (match["ref"] and not match["name"]):
            raise NotFound(
                f"`{locator[:200]}` names nothing: write github:OWNER or github:OWNER/REPO[@REF]",
                code="bad-locator",
            )
        with GitHubClient(options) as forge:
            if match["name"]:
                listed = forge.get(
                    f"/repos/{match['owner']}/{match['name']}", RepositoryListing
                )
                yield self.pin(to_repo(listed, match["ref"] or ""), options)
            else:
                yield from _of_owner(forge, match["owner"], options)

    def pin(self, repo: Repo, options: SourceOptions) -> Repo:
        """Ask git, which costs no request of the API, for the newest commit; raises `Rejected`
        where it is gone.
        """
        asked = replace(remote.parse_git_locator(repo.url), ref=repo.ref)
        try:
            commit = git.resolve_commit(asked, options.limits)
        except NotFound as error:
            raise _vanished(repo, error) from error
        return replace(repo, commit=commit, kilobytes=0, pushed_at="")

    def fetch(self, repo: Repo, destination: Path, options: SourceOptions) -> Checkout:
        """Bring the commit as git does, `NoKernels` before that where its tree speaks for none."""
        try:
            return git.fetch_commit(repo, destination, options, triage=True)
        except NotFound as error:
            raise _vanished(repo, error) from error


def _of_owner(forge: GitHubClient, name: str, terms: SourceOptions) -> Iterator[Repo]:
    """Yield what is wanted of an owner's repositories, by name, so that no push in the meantime
    hides one.
    """
    if terms.wanted.pushed_since:
        parse_moment(terms.wanted.pushed_since)
    owner = forge.get(f"/users/{name}", Owner)
    place = "orgs" if owner.type == "Organization" else "users"
    seen: set[int] = set()
    for page in forge.iter_pages(
        f"/{place}/{owner.login}/repos?per_page={_PAGE}&sort=full_name",
        list[RepositoryListing],
    ):
        for listed in page:
            reason = find_skip_reason(listed, terms.wanted)
            if listed.id in seen:
                continue
            seen.add(listed.id)
            if reason:
                terms.report_skipped(to_repo(listed), reason)
            else:
                yield to_repo(listed)


def _vanished(repo: Repo, error: NotFound) -> CrawlError:
    # GitHub asks who we are for what does not exist, as for what is private
    if error.code not in ("not-found", "auth-required"):
        return error
    return Rejected(
        f"{repo.owner}/{repo.name} went away since it was listed, or may no longer be seen: list its owner again",
        code="vanished",
    )


PLUGIN: Final[Source] = GitHub()
