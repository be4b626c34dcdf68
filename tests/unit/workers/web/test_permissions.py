"""Whatever changes anything asks who is there, and takes forms of our own pages alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from limits import parse
from starlette.testclient import TestClient

from storage.open import Storage
from tests.web_client import JSON, fill_with_records, log_in, read_csrf, serving
from workers.web.access import rate_limits
from workers.web.access.person import NOBODY, Person, Role

OPEN_TO_ALL = {"/login", "/logout"}
"""Where one logs in, and out of nothing."""
NEEDED_ROLES = {
    "/crawls/{crawl}/{action}": Role.OPERATOR,
    "/reviews/next": Role.REVIEWER,
    "/reviews/{unit}": Role.REVIEWER,
    "/reviews/{unit}/release": Role.REVIEWER,
    "/reviews/{unit}/run": Role.REVIEWER,
}
PROGRAM_ROLES = {"/judge": Role.REVIEWER}
"""What is for programs, which send a token in a header, and for no form."""
VALUES = {"action": "pause", "unit": "ab" * 32}


@pytest.fixture(autouse=True)
def many_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from one address, more of them than may log in from one."""
    for name in ("_LOGINS", "_CHANGES"):
        monkeypatch.setattr(rate_limits, name, parse("100000/minute"))


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[TestClient, Storage, str]]:
    with serving(tmp_path_factory.mktemp("home")) as (client, storage):
        crawl = fill_with_records(storage)
        yield client, storage, crawl


def list_changes(client: TestClient) -> list[str]:
    """Return the addresses to which forms are sent, as the interface describes itself."""
    paths = client.get("/openapi.json").json()["paths"]
    return sorted(
        path
        for path, methods in paths.items()
        if set(methods) - {"get"} and path not in OPEN_TO_ALL
    )


def fill_in(path: str, crawl: str) -> str:
    values = {**VALUES, "crawl": crawl}
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], path)


def test_every_address_that_changes_something_is_known_here(
    site: tuple[TestClient, Storage, str],
) -> None:
    """A new one is added above with the role that it needs, and so tested below."""
    client, _, _ = site
    assert list_changes(client) == sorted([*NEEDED_ROLES, *PROGRAM_ROLES])


@pytest.mark.parametrize("path", [*NEEDED_ROLES, *PROGRAM_ROLES])
def test_nobody_changes_anything_without_a_login(
    site: tuple[TestClient, Storage, str], path: str
) -> None:
    client, _, crawl = site
    client.cookies.clear()
    answer = client.post(fill_in(path, crawl), headers=JSON)
    assert answer.status_code in (401, 403)
    assert answer.json()["code"] in ("http-401", "http-403")


@pytest.mark.parametrize("path", NEEDED_ROLES)
@pytest.mark.parametrize("csrf", ["", "x", "é"])
def test_a_form_of_another_page_changes_nothing(
    site: tuple[TestClient, Storage, str], path: str, csrf: str
) -> None:
    client, storage, crawl = site
    log_in(client, storage, "ola", Role.OPERATOR)
    data = {"csrf": csrf, "verdict": "accepted"}
    answer = client.post(fill_in(path, crawl), data=data, headers=JSON)
    assert answer.status_code == 403
    assert "not of your session" in answer.json()["message"]


@pytest.mark.parametrize(("path", "needed"), NEEDED_ROLES.items())
@pytest.mark.parametrize("role", Role)
def test_a_role_may_what_it_says_and_no_more(
    site: tuple[TestClient, Storage, str], path: str, needed: Role, role: Role
) -> None:
    client, storage, crawl = site
    log_in(client, storage, "eve", role)
    data = {"csrf": read_csrf(client, "/crawls"), "verdict": "accepted"}
    answer = client.post(fill_in(path, crawl), data=data, headers=JSON)
    is_refused = answer.status_code == 403
    assert is_refused == (list(Role).index(role) < list(Role).index(needed))
    if is_refused:
        assert f"Only a {needed.value} may do this" in answer.json()["message"]


@pytest.mark.parametrize("path", PROGRAM_ROLES)
def test_no_session_of_a_browser_may_what_is_for_programs(
    site: tuple[TestClient, Storage, str], path: str
) -> None:
    client, storage, _ = site
    log_in(client, storage, "ola", Role.OPERATOR)
    data = {"csrf": read_csrf(client, "/crawls")}
    answer = client.post(path, data=data, headers=JSON)
    assert answer.status_code == 403
    assert "Bearer" in answer.json()["message"]


@pytest.mark.parametrize(
    ("path", "needed"), [*NEEDED_ROLES.items(), *PROGRAM_ROLES.items()]
)
def test_a_token_in_a_header_needs_no_form_but_the_role(
    site: tuple[TestClient, Storage, str], path: str, needed: Role
) -> None:
    client, storage, crawl = site
    client.cookies.clear()
    statuses: dict[Role, bool] = {}
    for role in Role:
        token = storage.tokens.add(f"program of a {role}", role)
        headers = {**JSON, "Authorization": f"Bearer {token}"}
        data = {"verdict": "accepted"}
        answer = client.post(fill_in(path, crawl), data=data, headers=headers)
        statuses[role] = answer.status_code == 403
    assert statuses == {role: not role.may(needed) for role in Role}


def test_a_cookie_of_one_session_serves_no_other(
    site: tuple[TestClient, Storage, str],
) -> None:
    client, storage, crawl = site
    log_in(client, storage, "ola", Role.OPERATOR)
    stolen = read_csrf(client, "/crawls")
    log_in(client, storage, "eve", Role.OPERATOR)
    answer = client.post(f"/crawls/{crawl}/cancel", data={"csrf": stolen})
    assert answer.status_code == 403
    assert storage.ledger.crawl_state(crawl) != "cancelled"


@pytest.mark.parametrize("header", ["Basic", "bearer", "Bearer"])
def test_what_is_no_token_is_nobody(
    site: tuple[TestClient, Storage, str], header: str
) -> None:
    client, _, crawl = site
    client.cookies.clear()
    headers = {**JSON, "Authorization": f"{header} "}
    answer = client.post(f"/crawls/{crawl}/pause", headers=headers)
    assert answer.status_code in (401, 403)


def test_roles_are_ordered() -> None:
    may = [[role.may(needed) for needed in Role] for role in Role]
    assert may == [[True, False, False], [True, True, False], [True, True, True]]


@pytest.mark.parametrize(
    ("person", "is_reviewer", "is_operator"),
    [
        (NOBODY, False, False),
        (Person(name="", role=Role.OPERATOR), False, False),
        (Person(name="ada", role=Role.READER), False, False),
        (Person(name="ada", role=Role.REVIEWER), True, False),
        (Person(name="ada", role=Role.OPERATOR), True, True),
    ],
)
def test_a_role_counts_for_who_has_a_name(
    person: Person, is_reviewer: bool, is_operator: bool
) -> None:
    assert (person.is_reviewer, person.is_operator) == (is_reviewer, is_operator)
