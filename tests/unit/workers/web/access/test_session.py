"""Who logs in may what their token says, as long as it holds; operators change crawls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from storage.open import Storage
from tests.web_client import JSON, fill_with_records, log_in, read_csrf, serving
from workers.web.access import session
from workers.web.access.session import SESSION_SECONDS
from workers.web.pages.login import keep_local

Served = tuple[TestClient, Storage, str]


@pytest.fixture
def visited_site(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as (client, storage):
        crawl = fill_with_records(storage)
        yield client, storage, crawl


def test_a_token_logs_in_until_it_is_revoked(visited_site: Served) -> None:
    client, storage, _ = visited_site
    log_in(client, storage, "ada", "reviewer")
    assert "ada" in client.get("/crawls").text
    assert storage.tokens.revoke("ada") == 1
    assert "Log in" in client.get("/crawls").text, "the session ends with the token"
    assert client.post("/login", data={"token": "kst_wrong"}).status_code == 401


def test_a_session_ends_however_often_its_cookie_is_signed_anew(
    visited_site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, storage, _ = visited_site
    log_in(client, storage, "ada", "reviewer")
    later = SimpleNamespace(time=lambda: time.time() + SESSION_SECONDS - 60)
    monkeypatch.setattr(session, "time", later)
    assert "ada" in client.get("/crawls").text
    later.time = lambda: time.time() + SESSION_SECONDS + 1
    assert "Log in" in client.get("/crawls").text


def test_an_expired_token_logs_nobody_in(visited_site: Served) -> None:
    client, storage, _ = visited_site
    token = storage.tokens.add("ada", "reviewer", lifetime_seconds=-1)
    assert client.post("/login", data={"token": token}).status_code == 401


def test_no_token_is_kept(visited_site: Served) -> None:
    client, storage, _ = visited_site
    token = storage.tokens.add("ada", "reviewer")
    (entry,) = storage.tokens.tokens()
    assert token not in str(entry)
    log_in(client, storage, "bob", "reader")
    assert token not in str(client.cookies)


def test_logging_out_takes_a_form_of_ones_own(visited_site: Served) -> None:
    client, storage, _ = visited_site
    log_in(client, storage, "ada", "reader")
    assert client.post("/logout").status_code == 403
    csrf = read_csrf(client, "/crawls")
    assert client.post("/logout", data={"csrf": csrf}).status_code == 303
    assert "Log in" in client.get("/crawls").text


def test_guessing_is_slowed_down(visited_site: Served) -> None:
    client, storage, _ = visited_site
    answers = [
        client.post("/login", data={"token": f"kst_{number}"}) for number in range(12)
    ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    assert answers[-1].headers["retry-after"]
    token = storage.tokens.add("ada", "reader")
    assert client.post("/login", data={"token": token}).status_code == 429


def test_guessing_by_a_header_is_slowed_down_too(visited_site: Served) -> None:
    client, storage, _ = visited_site
    statuses = [
        client.get(
            "/crawls", headers={"Authorization": f"Bearer kst_{number}"}
        ).status_code
        for number in range(12)
    ]
    assert statuses == [401] * 10 + [429] * 2
    token = storage.tokens.add("ada", "reader")
    response = client.get("/crawls", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200, "who has a token is not kept out by who guesses"


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303)],
)
def test_no_other_site_logs_anybody_in(
    visited_site: Served, site: str, status: int
) -> None:
    client, storage, _ = visited_site
    token = storage.tokens.add("mallory", "reader")
    answer = client.post(
        "/login", data={"token": token}, headers={"Sec-Fetch-Site": site}
    )
    assert answer.status_code == status
    assert ("mallory" in client.get("/crawls").text) == (status == 303)


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(tmp_path: Path) -> None:
    with serving(tmp_path, web_address="https://kernels.example.org") as (
        client,
        storage,
    ):
        token = storage.tokens.add("ada", "reader")
        cookie = client.post("/login", data={"token": token}).headers["set-cookie"]
    lowered = cookie.lower()
    assert "httponly" in lowered
    assert "samesite=lax" in lowered
    assert "secure" in lowered


def test_a_forged_cookie_is_nobody(visited_site: Served) -> None:
    client, storage, _ = visited_site
    log_in(client, storage, "ada", "operator")
    cookie = client.cookies["kernelset"]
    client.cookies.clear()
    client.cookies["kernelset"] = cookie[:-2] + "aa"
    assert "Log in" in client.get("/crawls").text


@pytest.mark.parametrize(
    ("action", "state"),
    [("pause", "paused"), ("cancel", "cancelled"), ("resume", "active")],
)
def test_an_operator_changes_a_crawl(
    visited_site: Served, action: str, state: str
) -> None:
    client, storage, crawl = visited_site
    log_in(client, storage, "ola", "operator")
    csrf = read_csrf(client, f"/crawls/{crawl}")
    if action == "resume":
        storage.ledger.pause(crawl)
    answer = client.post(f"/crawls/{crawl}/{action}", data={"csrf": csrf})
    assert answer.status_code == 303
    assert storage.ledger.crawl_state(crawl) == state
    assert client.get(f"/crawls/{crawl}.json").json()["state"] in (state, "complete")


def test_an_operator_retries_what_failed(visited_site: Served) -> None:
    client, storage, crawl = visited_site
    log_in(client, storage, "ola", "operator")
    csrf = read_csrf(client, f"/crawls/{crawl}")
    assert storage.ledger.failures(crawl)
    client.post(f"/crawls/{crawl}/retry", data={"csrf": csrf})
    assert not storage.ledger.failures(crawl)
    assert client.post("/crawls/none/retry", data={"csrf": csrf}).status_code == 404
    assert client.post(f"/crawls/{crawl}/burn", data={"csrf": csrf}).status_code == 422


@pytest.mark.parametrize("role", ["", "reader", "reviewer"])
def test_nobody_else_changes_a_crawl(visited_site: Served, role: str) -> None:
    client, storage, crawl = visited_site
    csrf = ""
    if role:
        log_in(client, storage, "eve", role)
        csrf = read_csrf(client, "/crawls")
    answer = client.post(f"/crawls/{crawl}/cancel", data={"csrf": csrf}, headers=JSON)
    assert answer.status_code in (401, 403)
    assert storage.ledger.crawl_state(crawl) == "active"
    assert "Cancel" not in client.get(f"/crawls/{crawl}").text


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "//evil.example/x",
        "///evil.example/x",
        "/\\/evil.example",
        "//[",
        "/\\evil.example",
        "javascript:alert(1)",
        "evil",
        "/ok\r\nSet-Cookie: x",
        "/" + "a" * 1000,
    ],
)
def test_a_login_leads_nowhere_else(address: str) -> None:
    assert keep_local(address) == "/"
    assert keep_local("/kernels?q=a%20b") == "/kernels?q=a%20b"
