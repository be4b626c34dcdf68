"""A reviewer is given a kernel, gives it back, and is told where none is left."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.web_client import ReviewSite, give, log_in, read_csrf
from workers.config.settings import Settings
from workers.web.app import create_app


def test_who_looks_again_where_nothing_was_left_comes_to_the_reviews(
    review_site: ReviewSite,
) -> None:
    client, _ = review_site
    answer = client.get("/reviews/next")
    assert (answer.status_code, answer.headers["location"]) == (303, "/reviews")


def test_a_kernel_that_is_given_back_goes_to_another(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    csrf = read_csrf(client)
    first = client.post("/reviews/next", data={"csrf": csrf}).headers["location"]
    assert storage.reviews.claimed_units() == {first.rpartition("/")[2]}
    assert client.post(f"{first}/release", data={"csrf": csrf}).status_code == 303
    assert storage.reviews.claimed_units() == frozenset()


def test_nothing_left_and_a_wrong_query_are_said(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(client), "q": "name = no_such_kernel"}
    answer = client.post("/reviews/next", data=data)
    assert answer.status_code == 404
    assert "No kernel that matches this query" in answer.text
    data_of_all = {"csrf": data["csrf"]}
    while (answer := client.post("/reviews/next", data=data_of_all)).status_code == 303:
        unit = answer.headers["location"].rpartition("/")[2]
        give(client, unit, verdict="accepted")
    assert "Nothing is left" in answer.text
    answer = client.post("/reviews/next", data={**data, "q": "nam = 3"})
    assert answer.status_code == 400
    assert "no field" in answer.text


def test_what_was_given_back_comes_again_only_when_nothing_else_is_left(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(client)}
    handed: list[str] = []
    for _ in range(8):
        address = client.post("/reviews/next", data=data).headers["location"]
        handed.append(address)
        client.post(f"{address}/release", data=data)
    kernels = len(set(handed))
    assert kernels > 2
    assert len(set(handed[:kernels])) == kernels
    assert handed[kernels] == handed[0]


def test_what_was_given_back_to_one_server_is_not_handed_out_next_by_another(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(client)}
    address = client.post("/reviews/next", data=data).headers["location"]
    client.post(f"{address}/release", data=data)

    storage.tokens.revoke("ada")
    other_server = TestClient(create_app(storage, Settings()), follow_redirects=False)
    log_in(other_server, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(other_server)}
    following = other_server.post("/reviews/next", data=data).headers["location"]
    assert following != address


def test_who_gives_all_back_goes_round_them(review_site: ReviewSite) -> None:
    client, storage = review_site
    log_in(client, storage, "ada", "reviewer")
    data = {"csrf": read_csrf(client)}
    handed: list[str] = []
    while handed.count(handed[0] if handed else "") < 3:
        address = client.post("/reviews/next", data=data).headers["location"]
        handed.append(address)
        client.post(f"{address}/release", data=data)
    round_length = len(set(handed))
    assert handed[round_length : 2 * round_length] == handed[:round_length]
