"""Two reviewers judge a kernel on the page, blind to each other, and nobody else may."""

from __future__ import annotations

import re
import time

import pytest

from crawler.model import KernelRecord
from tests.web_client import (
    JSON,
    RECORDS,
    REVIEWED_UNIT,
    ReviewSite,
    give,
    log_in,
    read_csrf,
)

ALL_MET = {
    f"check-{item}": "met"
    for item in (
        "instruction-clear",
        "code-and-description-agree",
        "tests-cover",
        "style",
    )
}


def test_two_reviewers_come_to_agree(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    handed = client.post("/reviews/next", data={"csrf": read_csrf(client)})
    assert handed.status_code == 303
    address = handed.headers["location"]
    unit = address.rpartition("/")[2]
    assert give(client, unit, verdict="accepted", **ALL_MET) == 303
    said = client.get(address).text
    assert "Your verdict is kept" in said
    assert "By one person so far" in said

    log_in(client, storage, "bob", "reviewer")
    again = client.post("/reviews/next", data={"csrf": read_csrf(client)})
    assert again.headers["location"] == address, "a second look comes first"
    page_text = client.get(address).text
    assert "ada" not in page_text
    assert "What was said" not in page_text
    assert client.get(address, headers=JSON).json()["reviews"] == []
    form = {
        "verdict": "rejected",
        "check-tests-cover": "unmet",
        "part": "tests",
        "line": "3",
        "comment": "it passes <b>whatever</b> is written",
    }
    assert give(client, unit, **form) == 303
    page = client.get(address, headers=JSON).json()
    assert page["state"] == "disputed"
    assert [review["reviewer"] for review in page["reviews"]] == ["ada", "bob"]
    assert page["reviews"][1]["comments"][0]["line"] == 3
    disputed = client.get(address).text
    assert "&lt;b&gt;whatever&lt;/b&gt;" in disputed
    assert "No: Would the tests notice a wrong kernel?" in disputed
    assert "gives another verdict; else a third decides" in disputed
    measured = client.get("/reviews.json").json()["agreement"]
    assert measured["disputed"] == [unit]

    assert give(client, unit, verdict="accepted") == 303
    assert client.get(address, headers=JSON).json()["state"] == "accepted"
    assert [row.review for row in storage.index.query(f"digest = {unit}")] == [
        "accepted"
    ]


def test_a_reviewer_with_an_address_for_a_name_sees_their_own_verdict(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    for name in ("ada@example.org", "bob@example.org"):
        log_in(client, storage, name, "reviewer")
        assert give(client, REVIEWED_UNIT, verdict="accepted") == 303
    page = client.get(f"/reviews/{REVIEWED_UNIT}").text
    assert "Your verdict is kept" in page
    assert "by ada@example.org" in page
    address = client.get(f"/units/{REVIEWED_UNIT}").headers["location"]
    assert "by bob@example.org" in client.get(address).text


def test_a_reviewer_is_not_told_elsewhere_either(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    assert give(client, REVIEWED_UNIT, verdict="rejected", note="I saw a race") == 303
    log_in(client, storage, "bob", "reviewer")
    address = client.get(f"/units/{REVIEWED_UNIT}").headers["location"]
    for page in (address, "/kernels", f"/kernels?q=digest%3D{REVIEWED_UNIT}"):
        for headers in (JSON, {"Accept": "text/html"}):
            text = client.get(page, headers=headers).text
            assert "I saw a race" not in text
            assert "rejected" not in text
    log_in(client, storage, "eve", "reader")
    assert "I saw a race" in client.get(address).text, "who judges nothing may see"
    narrowed = client.get("/kernels.json?q=review%3Drejected").json()["kernels"]
    assert [line["row"]["review"] for line in narrowed] == ["rejected"]
    assert "review+%3D" in client.get("/kernels").text


def test_who_has_no_name_sees_no_verdict(review_site: ReviewSite) -> None:
    client, storage = review_site
    for name, verdict in (("ada", "rejected"), ("bob", "accepted")):
        log_in(client, storage, name, "reviewer")
        assert give(client, REVIEWED_UNIT, verdict=verdict, note="I saw a race") == 303
    client.cookies.clear()
    address = client.get(f"/units/{REVIEWED_UNIT}").headers["location"]
    assert "log in to see" in client.get(address).text
    sample = address.replace("/kernel?", "/kernel/sample?")
    for page in (address, sample, "/kernels", f"/reviews/{REVIEWED_UNIT}", "/reviews"):
        for headers in (JSON, {"Accept": "text/html"}):
            text = client.get(page, headers=headers).text
            assert "I saw a race" not in text
            assert "bob" not in text
    agreement = client.get("/reviews.json").json()["agreement"]
    assert (agreement["twice"], agreement["pairs"], agreement["disputed"]) == (
        1,
        [],
        [],
    )
    assert REVIEWED_UNIT[:16] not in client.get("/reviews").text


@pytest.mark.parametrize("name", ["", "bob"])
def test_no_query_tells_what_others_said(review_site: ReviewSite, name: str) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    assert give(client, REVIEWED_UNIT, verdict="accepted") == 303
    client.cookies.clear()
    if name:
        log_in(client, storage, name, "reviewer")
    for state in ("accepted", "rejected", "un*"):
        query = f"digest = {REVIEWED_UNIT} and not (name = x or review != {state})"
        answer = client.get("/kernels.json", params={"q": query})
        assert (answer.status_code, answer.json()["kernels"]) == (400, [])
        assert "would tell you" in answer.json()["problem"]
    for page in ("/kernels", "/reviews"):
        assert "review+%3D" not in client.get(page).text
    if name:
        data = {"csrf": read_csrf(client), "q": "review = accepted"}
        answer = client.post("/reviews/next", data=data)
        assert answer.status_code == 400
        assert "would tell you" in answer.text


@pytest.mark.parametrize("role", ["", "reader"])
def test_who_may_not_review_is_refused(review_site: ReviewSite, role: str) -> None:
    client, storage = review_site
    if role:
        log_in(client, storage, "eve", role)
        csrf = read_csrf(client, "/kernels")
    else:
        csrf = ""
    for address in (
        f"/reviews/{REVIEWED_UNIT}",
        "/reviews/next",
        f"/reviews/{REVIEWED_UNIT}/release",
    ):
        answer = client.post(address, data={"verdict": "accepted", "csrf": csrf})
        assert answer.status_code in (401, 403), address
    assert storage.reviews.history(REVIEWED_UNIT) == ()
    assert (
        "<form method"
        not in client.get(f"/reviews/{REVIEWED_UNIT}").text.partition("<main")[2]
    )


def test_a_form_of_another_page_changes_nothing(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    for csrf in ("", "guessed"):
        data = {"verdict": "accepted", "csrf": csrf}
        assert client.post(f"/reviews/{REVIEWED_UNIT}", data=data).status_code == 403
    assert storage.reviews.history(REVIEWED_UNIT) == ()


def test_a_program_reviews_by_its_token(review_site: ReviewSite) -> None:
    client, storage = review_site
    token = storage.tokens.add("robot", "reviewer")
    headers = {**JSON, "Authorization": f"Bearer {token}"}
    data = {"verdict": "needs-work", "note": "n is not told"}
    answer = client.post(f"/reviews/{REVIEWED_UNIT}", data=data, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["state"] == "needs-work"
    wrong = {**headers, "Authorization": "Bearer kst_wrong"}
    assert (
        client.post(f"/reviews/{REVIEWED_UNIT}", data=data, headers=wrong).status_code
        == 401
    )
    assert len(storage.reviews.history(REVIEWED_UNIT)) == 1


def test_what_makes_no_sense_is_said_and_kept_in_no_history(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    assert give(client, REVIEWED_UNIT, verdict="rejected") == 400
    assert (
        give(client, REVIEWED_UNIT, verdict="accepted", **{"check-style": "unmet"})
        == 400
    )
    assert give(client, REVIEWED_UNIT, verdict="good") == 422
    csrf = read_csrf(client, f"/reviews/{REVIEWED_UNIT}")
    data = {"csrf": csrf, "verdict": "rejected"}
    answer = client.post(f"/reviews/{REVIEWED_UNIT}", data=data, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-review")
    assert "say why" in answer.json()["message"]
    bad_line = {"part": "tests", "line": "x", "comment": "here"}
    assert give(client, REVIEWED_UNIT, verdict="rejected", **bad_line) == 400
    csrf = read_csrf(client, f"/reviews/{REVIEWED_UNIT}")
    long = {"verdict": "rejected", "note": "x" * 400_000, "csrf": csrf}
    assert client.post(f"/reviews/{REVIEWED_UNIT}", data=long).status_code in (413, 422)
    assert storage.reviews.history(REVIEWED_UNIT) == ()


def test_what_was_written_is_still_there_where_a_verdict_is_refused(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    form = {
        "csrf": read_csrf(client, f"/reviews/{REVIEWED_UNIT}"),
        "verdict": "accepted",
        "check-tests-cover": "unmet",
        "note": "</textarea>n = 0 is missing",
        "part": "port",
        "line": "7",
        "comment": "a race",
    }
    answer = client.post(f"/reviews/{REVIEWED_UNIT}", data=form)
    assert answer.status_code == 400
    again = answer.text
    assert "&lt;/textarea&gt;n = 0 is missing</textarea>" in again
    assert re.search(r'name="check-tests-cover" value="unmet" checked', again)
    assert "<option selected>port</option>" in again
    assert 'value="7"' in again
    assert "a race</textarea>" in again
    assert '<details id="comments" open>' in again
    assert "checked" not in client.get(f"/reviews/{REVIEWED_UNIT}").text


def test_a_reviewer_who_has_said_nothing_is_not_told_what_is_disputed(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    for name, verdict in (("ada", "rejected"), ("bob", "accepted")):
        log_in(client, storage, name, "reviewer")
        assert give(client, REVIEWED_UNIT, verdict=verdict, note="a race") == 303
    seen = {}
    for name, role in (("bob", "reviewer"), ("carol", "reviewer"), ("eve", "reader")):
        log_in(client, storage, name, role)
        # it is measured beside requests, however long that takes
        while (page := client.get("/reviews.json").json())["agreement"] is None:
            time.sleep(0.01)
        seen[name] = page["agreement"]["disputed"]
    assert seen == {"bob": [REVIEWED_UNIT], "carol": [], "eve": [REVIEWED_UNIT]}
    # by its name, which says more than a digest
    name = next(record.kernel.name for record in RECORDS if _has_unit(record))
    assert f">{name} <code>" in client.get("/reviews").text


def _has_unit(record: KernelRecord) -> bool:
    return bool(record.kernel.unit and record.kernel.unit.digest == REVIEWED_UNIT)
