from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from crawler.errors import Misconfigured, NotFound
from crawler.sources.github_api.repositories import (
    LicenceName,
    Owner,
    RepositoryListing,
    find_skip_reason,
    parse_moment,
    to_repo,
)
from crawler.sources.options import RepositoryFilter

LISTING = RepositoryListing(
    id=7,
    name="waves",
    owner=Owner(login="ocean"),
    html_url="https://example.org/ocean/waves",
    size=40,
    language="Cuda",
    license=LicenceName(spdx_id="MIT"),
    stargazers_count=10,
    topics=["gpu", "simulation"],
    pushed_at="2026-03-01T10:00:00Z",
)


def change(**fields: Any) -> RepositoryListing:
    changed: RepositoryListing = msgspec.structs.replace(LISTING, **fields)
    return changed


def test_a_listing_becomes_a_repository_without_a_commit() -> None:
    repo = to_repo(LISTING, "v1")
    assert (repo.owner, repo.name, repo.ref, repo.commit) == (
        "ocean",
        "waves",
        "v1",
        "",
    )
    assert repo.url == "https://example.org/ocean/waves.git"
    assert (repo.id, repo.kilobytes) == ("7", 40)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "../x"},
        {"name": ""},
        {"owner": Owner(login="a/b")},
        {"clone_url": "ext::sh -c id"},
        {"clone_url": "ssh://git@example.org/o/n"},
        {"clone_url": "file:///etc"},
        {"clone_url": "https://example.org/"},
    ],
)
def test_an_answer_with_hostile_names_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        to_repo(change(**fields))


@pytest.mark.parametrize(
    ("fields", "filters", "reason"),
    [
        ({}, {}, ""),
        ({"pushed_at": None}, {}, "never-pushed"),
        ({"fork": True}, {}, "fork"),
        ({"fork": True}, {"forks": True}, ""),
        ({"archived": True}, {}, ""),
        ({"archived": True}, {"archived": False}, "archived"),
        ({"is_template": True}, {"templates": False}, "template"),
        ({"is_template": None}, {"templates": False}, ""),
        ({"disabled": True}, {}, "disabled"),
        ({}, {"languages": ("cuda",)}, ""),
        ({"language": None}, {"languages": ("cuda",)}, "other-language"),
        ({}, {"licences": ("mit", "BSD-3-Clause")}, ""),
        ({"license": None}, {"licences": ("MIT",)}, "other-licence"),
        ({"license": None}, {"licences": ("noassertion",)}, ""),
        ({}, {"topics": ("GPU",)}, ""),
        ({"topics": []}, {"topics": ("gpu",)}, "other-topic"),
        ({}, {"min_stars": 10}, ""),
        ({}, {"min_stars": 11}, "few-stars"),
        ({}, {"max_kilobytes": 40}, ""),
        ({}, {"max_kilobytes": 39}, "too-large"),
        ({}, {"pushed_since": "2026-03-01"}, ""),
        ({}, {"pushed_since": "2026-03-02"}, "not-pushed-since"),
        ({"fork": True, "disabled": True}, {"min_stars": 99}, "fork"),
    ],
)
def test_the_first_reason_that_applies_is_named(
    fields: dict[str, Any], filters: dict[str, Any], reason: str
) -> None:
    assert find_skip_reason(change(**fields), RepositoryFilter(**filters)) == reason


def test_a_moment_without_a_zone_is_in_utc() -> None:
    assert parse_moment("2026-01-31") == datetime(2026, 1, 31, tzinfo=UTC)
    berlin = timezone(timedelta(hours=1))
    moment = parse_moment("2026-01-31T01:00:00+01:00")
    assert moment == datetime(2026, 1, 31, 1, tzinfo=berlin)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "31.01.2026"])
def test_what_is_no_date_is_a_fault_of_the_configuration(text: str) -> None:
    with pytest.raises(Misconfigured, match="write it like") as caught:
        parse_moment(text)
    assert caught.value.code == "bad-date"
