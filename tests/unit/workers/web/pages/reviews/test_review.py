"""Two reviewers judge a kernel on the page, blind to each other, and nobody else may."""

from __future__ import annotations

import hashlib
import html
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from crawler.model import KernelRecord
from storage.open import Storage
from tests.web_client import (
    JSON,
    RECORDS,
    fill_with_records,
    log_in,
    put_launched_record,
    put_records,
    read_csrf,
    serving,
)

Served = tuple[TestClient, Storage]
UNIT = next(record.kernel.unit.digest for record in RECORDS if record.kernel.unit)
ALL_MET = {
    f"check-{item}": "met"
    for item in (
        "instruction-clear",
        "code-and-description-agree",
        "tests-cover",
        "style",
    )
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        yield client, storage


def give(client: TestClient, unit: str, **form: str) -> int:
    csrf = read_csrf(client, f"/reviews/{unit}")
    answer = client.post(f"/reviews/{unit}", data={"csrf": csrf, **form})
    return answer.status_code


def test_two_reviewers_come_to_agree(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    handed = client.post("/reviews/next", data={"csrf": read_csrf(client)})
    assert handed.status_code == 303
    address = handed.headers["location"]
    unit = address.rpartition("/")[2]
    assert give(client, unit, verdict="accepted", **ALL_MET) == 303
    assert "Your verdict is kept" in client.get(address).text

    log_in(client, storage, "bob", "reviewer")
    again = client.post("/reviews/next", data={"csrf": read_csrf(client)})
    assert again.headers["location"] == address, "a second look comes first"
    shown = client.get(address).text
    assert "ada" not in shown
    assert "What was said" not in shown
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
    assert "&lt;b&gt;whatever&lt;/b&gt;" in client.get(address).text
    measured = client.get("/reviews.json").json()["agreement"]
    assert measured["disputed"] == [unit]

    assert give(client, unit, verdict="accepted") == 303
    assert client.get(address, headers=JSON).json()["state"] == "accepted"
    assert [row.review for row in storage.index.query(f"digest = {unit}")] == [
        "accepted"
    ]


def test_a_reviewer_with_an_address_for_a_name_sees_their_own_verdict(
    served: Served,
) -> None:
    client, storage = served
    for name in ("ada@example.org", "bob@example.org"):
        log_in(client, storage, name, "reviewer")
        assert give(client, UNIT, verdict="accepted") == 303
    shown = client.get(f"/reviews/{UNIT}").text
    assert "Your verdict is kept" in shown
    assert "by ada@example.org" in shown
    address = client.get(f"/units/{UNIT}").headers["location"]
    assert "by bob@example.org" in client.get(address).text


def test_a_reviewer_is_not_told_elsewhere_either(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    assert give(client, UNIT, verdict="rejected", note="I saw a race") == 303
    log_in(client, storage, "bob", "reviewer")
    address = client.get(f"/units/{UNIT}").headers["location"]
    for page in (address, "/kernels", f"/kernels?q=digest%3D{UNIT}"):
        for headers in (JSON, {"Accept": "text/html"}):
            text = client.get(page, headers=headers).text
            assert "I saw a race" not in text
            assert "rejected" not in text
    log_in(client, storage, "eve", "reader")
    assert "I saw a race" in client.get(address).text, "who judges nothing may see"
    narrowed = client.get("/kernels.json?q=review%3Drejected").json()["kernels"]
    assert [line["row"]["review"] for line in narrowed] == ["rejected"]
    assert "review+%3D" in client.get("/kernels").text


def test_who_has_no_name_sees_no_verdict(served: Served) -> None:
    client, storage = served
    for name, verdict in (("ada", "rejected"), ("bob", "accepted")):
        log_in(client, storage, name, "reviewer")
        assert give(client, UNIT, verdict=verdict, note="I saw a race") == 303
    client.cookies.clear()
    address = client.get(f"/units/{UNIT}").headers["location"]
    assert "log in to see" in client.get(address).text
    sample = address.replace("/kernel?", "/kernel/sample?")
    for page in (address, sample, "/kernels", f"/reviews/{UNIT}", "/reviews"):
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
    assert UNIT[:16] not in client.get("/reviews").text


@pytest.mark.parametrize("name", ["", "bob"])
def test_no_query_tells_what_others_said(served: Served, name: str) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    assert give(client, UNIT, verdict="accepted") == 303
    client.cookies.clear()
    if name:
        log_in(client, storage, name, "reviewer")
    for state in ("accepted", "rejected", "un*"):
        query = f"digest = {UNIT} and not (name = x or review != {state})"
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
def test_who_may_not_review_is_refused(served: Served, role: str) -> None:
    client, storage = served
    if role:
        log_in(client, storage, "eve", role)
        csrf = read_csrf(client, "/kernels")
    else:
        csrf = ""
    for address in (f"/reviews/{UNIT}", "/reviews/next", f"/reviews/{UNIT}/release"):
        answer = client.post(address, data={"verdict": "accepted", "csrf": csrf})
        assert answer.status_code in (401, 403), address
    assert storage.reviews.history(UNIT) == ()
    assert (
        "<form method" not in client.get(f"/reviews/{UNIT}").text.partition("<main")[2]
    )


def test_a_form_of_another_page_changes_nothing(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    for csrf in ("", "guessed"):
        data = {"verdict": "accepted", "csrf": csrf}
        assert client.post(f"/reviews/{UNIT}", data=data).status_code == 403
    assert storage.reviews.history(UNIT) == ()


def test_a_program_reviews_by_its_token(served: Served) -> None:
    client, storage = served
    token = storage.tokens.add("robot", "reviewer")
    headers = {**JSON, "Authorization": f"Bearer {token}"}
    data = {"verdict": "needs-work", "note": "n is not told"}
    answer = client.post(f"/reviews/{UNIT}", data=data, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["state"] == "needs-work"
    wrong = {**headers, "Authorization": "Bearer kst_wrong"}
    assert client.post(f"/reviews/{UNIT}", data=data, headers=wrong).status_code == 401
    assert len(storage.reviews.history(UNIT)) == 1


def test_what_makes_no_sense_is_said_and_kept_in_no_history(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    assert give(client, UNIT, verdict="rejected") == 400
    assert give(client, UNIT, verdict="accepted", **{"check-style": "unmet"}) == 400
    assert give(client, UNIT, verdict="good") == 422
    csrf = read_csrf(client, f"/reviews/{UNIT}")
    data = {"csrf": csrf, "verdict": "rejected"}
    answer = client.post(f"/reviews/{UNIT}", data=data, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-review")
    assert "say why" in answer.json()["message"]
    bad_line = {"part": "tests", "line": "x", "comment": "here"}
    assert give(client, UNIT, verdict="rejected", **bad_line) == 400
    csrf = read_csrf(client, f"/reviews/{UNIT}")
    long = {"verdict": "rejected", "note": "x" * 400_000, "csrf": csrf}
    assert client.post(f"/reviews/{UNIT}", data=long).status_code in (413, 422)
    assert storage.reviews.history(UNIT) == ()


def test_what_was_written_is_still_there_where_a_verdict_is_refused(
    served: Served,
) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    form = {
        "csrf": read_csrf(client, f"/reviews/{UNIT}"),
        "verdict": "accepted",
        "check-tests-cover": "unmet",
        "note": "</textarea>n = 0 is missing",
        "part": "port",
        "line": "7",
        "comment": "a race",
    }
    answer = client.post(f"/reviews/{UNIT}", data=form)
    assert answer.status_code == 400
    again = answer.text
    assert "&lt;/textarea&gt;n = 0 is missing</textarea>" in again
    assert re.search(r'name="check-tests-cover" value="unmet" checked', again)
    assert "<option selected>port</option>" in again
    assert 'value="7"' in again
    assert "a race</textarea>" in again
    assert '<details id="comments" open>' in again
    assert "checked" not in client.get(f"/reviews/{UNIT}").text


def test_a_reviewer_sees_the_cases_and_who_judged_them(served: Served) -> None:
    client, storage = served
    record = put_launched_record(storage)
    assert record.kernel.unit
    shown = client.get(f"/reviews/{record.kernel.unit.digest}").text
    assert "<dd>project_cpu</dd>" in shown
    assert "n = 2<br>" in shown
    assert "in (inout) 8 bytes" in shown
    assert "once-more" in shown
    assert ">hidden<" not in shown
    # its program is shown where its cases begin, behind what the kernel needs
    assert "// ---- the cases" in shown


@pytest.mark.parametrize("part", ["source", "prompt"])
def test_a_long_text_is_read_to_its_last_line(served: Served, part: str) -> None:
    client, storage = served
    base = next(record for record in RECORDS if record.ports)
    assert base.kernel.unit
    source = "// needed by the kernel\n" * 3000 + base.kernel.unit.source
    digest = hashlib.sha256(source.encode()).hexdigest()
    unit = replace(base.kernel.unit, source=source, digest=digest)
    kernel = replace(base.kernel, unit=unit)
    put_records(storage, (replace(base, kernel=kernel, ports=(), builds=()),), task=9)
    address = f"/reviews/{unit.digest}/texts/{part}"
    text = client.get(address, headers=JSON).json()["text"]
    numbers: list[int] = []
    following = address
    while following:
        page = client.get(following).text
        assert len(page) < 200_000
        numbers += map(int, re.findall(r'id="L(\d+)"', page))
        match = re.search(r'href="([^"]+)">Further lines', page)
        following = html.unescape(match[1]) if match else ""
    assert numbers == list(range(1, len(text.rstrip("\n").split("\n")) + 1))


def test_what_no_text_has_is_said(served: Served) -> None:
    client, _ = served
    assert client.get(f"/reviews/{UNIT}/texts/nothing").status_code == 422
    assert client.get(f"/reviews/{'0' * 64}/texts/source").status_code == 404
    behind = client.get(f"/reviews/{UNIT}/texts/source?from=100000")
    assert "It has fewer lines." in behind.text


def test_who_looks_again_where_nothing_was_left_comes_to_the_reviews(
    served: Served,
) -> None:
    client, _ = served
    answer = client.get("/reviews/next")
    assert (answer.status_code, answer.headers["location"]) == (303, "/reviews")


def test_a_kernel_that_is_given_back_goes_to_another(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    csrf = read_csrf(client)
    first = client.post("/reviews/next", data={"csrf": csrf}).headers["location"]
    assert storage.reviews.claimed_units() == {first.rpartition("/")[2]}
    assert client.post(f"{first}/release", data={"csrf": csrf}).status_code == 303
    assert storage.reviews.claimed_units() == frozenset()


def test_nothing_left_and_a_wrong_query_are_said(served: Served) -> None:
    client, storage = served
    log_in(client, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(client), "q": "name = no_such_kernel"}
    answer = client.post("/reviews/next", data=data)
    assert answer.status_code == 404
    assert "Nothing is left" in answer.text
    answer = client.post("/reviews/next", data={**data, "q": "nam = 3"})
    assert answer.status_code == 400
    assert "no field" in answer.text


def test_a_reviewer_who_has_said_nothing_is_not_told_what_is_disputed(
    served: Served,
) -> None:
    client, storage = served
    for name, verdict in (("ada", "rejected"), ("bob", "accepted")):
        log_in(client, storage, name, "reviewer")
        assert give(client, UNIT, verdict=verdict, note="a race") == 303
    seen = {}
    for name, role in (("bob", "reviewer"), ("carol", "reviewer"), ("eve", "reader")):
        log_in(client, storage, name, role)
        # it is measured beside requests, however long that takes
        while (page := client.get("/reviews.json").json())["agreement"] is None:
            time.sleep(0.01)
        seen[name] = page["agreement"]["disputed"]
    assert seen == {"bob": [UNIT], "carol": [], "eve": [UNIT]}
    # by its name, which says more than a digest
    name = next(record.kernel.name for record in RECORDS if _has_unit(record))
    assert f">{name} <code>" in client.get("/reviews").text


def _has_unit(record: KernelRecord) -> bool:
    return bool(record.kernel.unit and record.kernel.unit.digest == UNIT)
