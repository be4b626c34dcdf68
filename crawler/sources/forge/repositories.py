"""What GitHub says of a repository, and whether it is wanted."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import msgspec

from crawler.errors import Misconfigured, NotFound
from crawler.model import Repo
from crawler.sources import remote
from crawler.sources.terms import Wanted

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Owner(msgspec.Struct, frozen=True):
    """An organisation or a user."""

    login: str
    type: str = "User"


class LicenceName(msgspec.Struct, frozen=True):
    """The licence that the host recognised."""

    spdx_id: str | None = None


class Listed(msgspec.Struct, frozen=True):
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


def repo_of(listed: Listed, ref: str = "") -> Repo:
    """Return the repository, not yet pinned; raises `NotFound` where the answer holds no usable names."""
    names = listed.owner.login, listed.name
    address = listed.clone_url or f"{listed.html_url}.git"
    if not all(_NAME.fullmatch(name) for name in names) or not address.startswith(("https://", "http://")):
        raise NotFound("the answer names no usable repository: report it", code="bad-answer")
    url = remote.parse(address).url
    return Repo(
        source="github",
        owner=listed.owner.login,
        name=listed.name,
        url=url,
        ref=ref,
        commit="",
        id=str(listed.id),
        kilobytes=max(0, listed.size),
        pushed_at=listed.pushed_at or "",
    )


def unwanted(listed: Listed, wanted: Wanted) -> str:
    """Return why a repository is not visited, as a stable slug; empty where it is."""
    spdx = (listed.license.spdx_id if listed.license else None) or "NOASSERTION"
    reasons = {
        "never-pushed": not listed.pushed_at,
        "fork": listed.fork and not wanted.forks,
        "archived": listed.archived and not wanted.archived,
        "template": bool(listed.is_template) and not wanted.templates,
        "disabled": listed.disabled,
        "other-language": _misses([listed.language or ""], wanted.languages),
        "other-licence": _misses([spdx], wanted.licences),
        "other-topic": _misses(listed.topics, wanted.topics),
        "few-stars": listed.stargazers_count < wanted.min_stars,
        "too-large": 0 < wanted.max_kilobytes < listed.size,
        "not-pushed-since": _is_older(listed.pushed_at or "", wanted.pushed_since),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _misses(has: list[str], one_of: tuple[str, ...]) -> bool:
    return bool(one_of) and not {each.lower() for each in has} & {each.lower() for each in one_of}


def _is_older(pushed: str, since: str) -> bool:
    return bool(since) and (not pushed or moment(pushed) < moment(since))


def moment(text: str) -> datetime:
    """Return a date or time of ISO 8601, in UTC where it says no zone; raises `Misconfigured` for anything else."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise Misconfigured(f"`{text[:40]}` is no date: write it like 2026-01-31", code="bad-date") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
