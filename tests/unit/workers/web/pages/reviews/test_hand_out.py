"""A reviewer is given a kernel, gives it back, and is told where none is left."""

from __future__ import annotations

from tests.web_client import ReviewSite, log_in, read_csrf


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
