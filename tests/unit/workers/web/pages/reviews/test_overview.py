"""How far reviewing is, as those see it who are to stay blind and those who are not."""

from __future__ import annotations

import time
from typing import Any

from tests.web_client import REVIEWED_UNIT, ReviewSite, give, log_in


def read_agreement(site: ReviewSite) -> Any:
    client, _ = site
    # it is measured beside requests, however long that takes
    while (page := client.get("/reviews.json").json())["agreement"] is None:
        time.sleep(0.01)
    return page["agreement"]


def test_no_count_tells_a_second_reviewer_what_the_first_said(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    assert give(client, REVIEWED_UNIT, verdict="rejected", note="a race") == 303
    log_in(client, storage, "bob", "reviewer")
    assert read_agreement(review_site)["reviewed"] == 1
    assert read_agreement(review_site)["by_state"] == {}
    assert "rejected" not in client.get("/reviews").text
    client.cookies.clear()
    assert read_agreement(review_site)["by_state"] == {}
    log_in(client, storage, "eve", "reader")
    assert read_agreement(review_site)["by_state"] == {"rejected": 1}


def test_what_two_came_to_is_counted_for_everybody(review_site: ReviewSite) -> None:
    client, storage = review_site
    for name in ("ada", "bob"):
        log_in(client, storage, name, "reviewer")
        assert give(client, REVIEWED_UNIT, verdict="accepted") == 303
    assert read_agreement(review_site)["by_state"] == {"accepted": 1}


def test_it_is_said_why_there_is_no_kappa(review_site: ReviewSite) -> None:
    client, storage = review_site
    for name, reason in (
        ("ada", "no kernel was reviewed by two"),
        ("bob", "both said the same of all"),
    ):
        log_in(client, storage, name, "reviewer")
        assert give(client, REVIEWED_UNIT, verdict="accepted") == 303
        read_agreement(review_site)
        assert reason in client.get("/reviews").text


def test_a_reviewer_finds_the_way_back_to_what_they_said(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    assert client.get("/reviews.json").json()["own"] == []
    assert give(client, REVIEWED_UNIT, verdict="rejected", note="a race") == 303
    (own,) = client.get("/reviews.json").json()["own"]
    assert (own["unit"], own["verdict"]) == (REVIEWED_UNIT, "rejected")
    assert own["name"]
    page = client.get("/reviews").text
    assert "Your last verdicts" in page
    assert f'href="/reviews/{REVIEWED_UNIT}"' in page
    # of others, nothing is told
    for name in ("bob", ""):
        client.cookies.clear()
        if name:
            log_in(client, storage, name, "reviewer")
        assert client.get("/reviews.json").json()["own"] == []
        assert "Your last verdicts" not in client.get("/reviews").text
