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

# what GitHub lets owners and repositories be called
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
    """Return the repository, not yet pinned.

    Raises `NotFound` where the answer holds no usable names or no usable address.
    """
    owner = listing.owner.login
    address = listing.clone_url or f"{listing.html_url}.git"
    has_usable_names = bool(_NAME.fullmatch(owner) and _NAME.fullmatch(listing.name))
    if not has_usable_names or not address.startswith(("https://", "http://")):
        raise NotFound(
            "the answer names no usable repository: report it", code="bad-answer"
        )
    return Repo(
        source="github",
        owner=owner,
        name=listing.name,
        url=remote.parse_git_locator(address).url,
        ref=ref,
        commit="",
        id=str(listing.id),
        kilobytes=max(0, listing.size),
        pushed_at=listing.pushed_at or "",
    )


def find_skip_reason(listing: RepositoryListing, filters: RepositoryFilter) -> str:
    """Return why a repository is not visited, as a stable slug; empty where it is."""
    # GitHub itself says NOASSERTION where it recognised nothing.
    spdx_id = listing.license.spdx_id if listing.license else None
    licences = [spdx_id or "NOASSERTION"]
    languages = [listing.language or ""]
    is_too_large = 0 < filters.max_kilobytes < listing.size
    # The first that applies is the reason.
    reasons = {
        "never-pushed": not listing.pushed_at,
        "fork": listing.fork and not filters.forks,
        "archived": listing.archived and not filters.archived,
        "template": bool(listing.is_template) and not filters.templates,
        "disabled": listing.disabled,
        "other-language": not _matches_any(languages, filters.languages),
        "other-licence": not _matches_any(licences, filters.licences),
        "other-topic": not _matches_any(listing.topics, filters.topics),
        "few-stars": listing.stargazers_count < filters.min_stars,
        "too-large": is_too_large,
        "not-pushed-since": _is_older(listing.pushed_at or "", filters.pushed_since),
    }

    for reason, applies in reasons.items():
        if applies:
            return reason

    return ""


def _matches_any(values: list[str], accepted: tuple[str, ...]) -> bool:
    """Tell whether one of the values is accepted, in any case; all are where none is named."""
    if not accepted:
        return True

    accepted_names = {name.lower() for name in accepted}

    return any(value.lower() in accepted_names for value in values)


def _is_older(pushed_at: str, since: str) -> bool:
    if not since:
        return False
    return not pushed_at or parse_moment(pushed_at) < parse_moment(since)


def parse_moment(text: str) -> datetime:
    """Return a date or time of ISO 8601, in UTC where it names no zone.

    Raises `Misconfigured` for anything else.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Misconfigured(
            f"`{text[:40]}` is no date: write it like 2026-01-31", code="bad-date"
        ) from error

    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment
