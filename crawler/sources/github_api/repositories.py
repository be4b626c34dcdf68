"""Repository listings of the GitHub API, and the filter applied to them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import msgspec

from crawler.errors import Misconfigured, NotFound
from crawler.model import Repo
from crawler.sources.git_client import remote
from crawler.sources.options import RepositoryFilter

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Owner(msgspec.Struct, frozen=True):
    """An organisation or a user."""

    login: str
    type: str = "User"


class LicenceName(msgspec.Struct, frozen=True):
    """The licence that the host recognised."""

    spdx_id: str | None = None


class RepositoryListing(msgspec.Struct, frozen=True):
    """A repository as the REST API shows it; the fields are GitHub's."""

    id: int
    name: str
    owner: Owner
    html_url: str
    clone_url: str = ""
    """GitHub's description lets a listing leave it out."""
    fork: bool = False
    archived: bool = False
    disabled: bool = False
    private: bool = False
    is_template: bool | None = False
    size: int = 0
    """Kilobytes."""
    language: str | None = None
    license: LicenceName | None = None
    stargazers_count: int = 0
    topics: list[str] = []
    pushed_at: str | None = None


def to_repo(listing: RepositoryListing, ref: str = "") -> Repo:
    """Return the repository, not yet pinned; raises `NotFound` where the answer holds no usable
    names.
    """
    names = listing.owner.login, listing.name
    address = listing.clone_url or f"{listing.html_url}.git"
    if not all(_NAME.fullmatch(name) for name in names) or not address.startswith(
        ("https://", "http://")
    ):
        raise NotFound(
            "the answer names no usable repository: report it", code="bad-answer"
        )
    url = remote.parse_git_locator(address).url
    return Repo(
        source="github",
        owner=listing.owner.login,
        name=listing.name,
        url=url,
        ref=ref,
        commit="",
        id=str(listing.id),
        kilobytes=max(0, listing.size),
        pushed_at=listing.pushed_at or "",
    )


def find_skip_reason(listing: RepositoryListing, filters: RepositoryFilter) -> str:
    """Return why a repository is not visited, as a stable slug; empty where it is."""
    spdx = (listing.license.spdx_id if listing.license else None) or "NOASSERTION"
    reasons = {
        "never-pushed": not listing.pushed_at,
        "fork": listing.fork and not filters.forks,
        "archived": listing.archived and not filters.archived,
        "template": bool(listing.is_template) and not filters.templates,
        "disabled": listing.disabled,
        "other-language": _misses([listing.language or ""], filters.languages),
        "other-licence": _misses([spdx], filters.licences),
        "other-topic": _misses(listing.topics, filters.topics),
        "few-stars": listing.stargazers_count < filters.min_stars,
        "too-large": 0 < filters.max_kilobytes < listing.size,
        "not-pushed-since": _is_older(listing.pushed_at or "", filters.pushed_since),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _misses(has: list[str], one_of: tuple[str, ...]) -> bool:
    return bool(one_of) and not {each.lower() for each in has} & {
        each.lower() for each in one_of
    }


def _is_older(pushed: str, since: str) -> bool:
    return bool(since) and (not pushed or parse_moment(pushed) < parse_moment(since))


def parse_moment(text: str) -> datetime:
    """Return a date or time of ISO 8601, in UTC where it says no zone; raises `Misconfigured`
    for anything else.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise Misconfigured(
            f"`{text[:40]}` is no date: write it like 2026-01-31", code="bad-date"
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
