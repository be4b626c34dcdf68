"""GitHub: `github:OWNER` for all that an organisation or a user has, `github:OWNER/REPO[@REF]` for one repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.errors import CrawlError, NotFound, Rejected
from crawler.model import Checkout, Repo
from crawler.sources import git, remote
from crawler.sources.forge.client import Forge
from crawler.sources.forge.repositories import Listed, Owner, moment, repo_of, unwanted
from crawler.sources.interface import Source, Terms

_PREFIX: Final = "github:"
_LOCATOR: Final = re.compile(
    r"github:(?P<owner>[A-Za-z0-9][\w-]{0,99})(?:/(?P<name>[\w.-]{1,100}))?(?:@(?P<ref>.+))?", re.ASCII
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

    def list(self, locator: str, terms: Terms) -> Iterator[Repo]:
        """Yield the one repository pinned, or an owner's without commits; raises `NotFound`, `RateLimited`…"""
        match = _LOCATOR.fullmatch(locator)
        if match is None or (match["ref"] and not match["name"]):
            raise NotFound(
                f"`{locator[:200]}` names nothing: write github:OWNER or github:OWNER/REPO[@REF]", code="bad-locator"
            )
        with Forge(terms) as forge:
            if match["name"]:
                listed = forge.one(f"/repos/{match['owner']}/{match['name']}", Listed)
                yield self.pin(repo_of(listed, match["ref"] or ""), terms)
            else:
                yield from _of_owner(forge, match["owner"], terms)

    def pin(self, repo: Repo, terms: Terms) -> Repo:
        """Ask git, which costs no request of the API, for the newest commit; raises `Rejected` where it is gone."""
        asked = replace(remote.parse(repo.url), ref=repo.ref)
        try:
            commit = git.commit_of(asked, terms.limits)
        except NotFound as error:
            raise _vanished(repo, error) from error
        return replace(repo, commit=commit, kilobytes=0, pushed_at="")

    def fetch(self, repo: Repo, destination: Path, terms: Terms) -> Checkout:
        """Bring the commit as git does, `NoKernels` before that where its tree speaks for none."""
        try:
            return git.bring(repo, destination, terms, triage=True)
        except NotFound as error:
            raise _vanished(repo, error) from error


def _of_owner(forge: Forge, name: str, terms: Terms) -> Iterator[Repo]:
    """Yield what is wanted of an owner's repositories, by name, so that no push in the meantime hides one."""
    if terms.wanted.pushed_since:
        moment(terms.wanted.pushed_since)
    owner = forge.one(f"/users/{name}", Owner)
    place = "orgs" if owner.type == "Organization" else "users"
    seen: set[int] = set()
    for page in forge.pages(f"/{place}/{owner.login}/repos?per_page={_PAGE}&sort=full_name", list[Listed]):
        for listed in page:
            reason = unwanted(listed, terms.wanted)
            if listed.id in seen:
                continue
            seen.add(listed.id)
            if reason:
                terms.passed_over(repo_of(listed), reason)
            else:
                yield repo_of(listed)


def _vanished(repo: Repo, error: NotFound) -> CrawlError:
    # GitHub asks who we are for what does not exist, as for what is private
    if error.code not in ("not-found", "auth-required"):
        return error
    return Rejected(
        f"{repo.owner}/{repo.name} went away since it was listed, or may no longer be seen: list its owner again",
        code="vanished",
    )


PLUGIN: Final[Source] = GitHub()
