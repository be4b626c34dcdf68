"""Kernels are searched, narrowed down, paged through and shown whole."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from storage.in_memory.index import InMemoryKernelIndex
from tests.web_client import JSON, RECORDS, fill_with_records, serving
from workers.web.pages.completion import make_completion


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("home")) as (client, storage):
        fill_with_records(storage)
        yield client


def test_pages_follow_each_other_to_the_end(client: TestClient) -> None:
    address, names = "/kernels?limit=2", []
    while address:
        page = client.get(address, headers=JSON).json()
        names += [line["row"]["name"] for line in page["kernels"]]
        assert len(page["kernels"]) <= 2
        address = page["next_page"]
    assert sorted(names) == sorted(record.kernel.name for record in RECORDS)


def test_a_query_narrows_and_facets_lead_on(client: TestClient) -> None:
    page = client.get("/kernels.json", params={"q": "scale"}).json()
    assert {line["row"]["name"] for line in page["kernels"]} == {"scale_kernel"}
    everything = client.get("/kernels.json").json()
    value = everything["facets"]["dialect"][0]
    narrowed = client.get(value["address"], headers=JSON).json()
    assert len(narrowed["kernels"]) == value["kernels"] < len(RECORDS)


@pytest.mark.parametrize("query", ["nam = 3", "(a", 'name = "', "licence:MIT", "\x00"])
def test_what_is_wrong_with_a_query_is_said_beside_it(
    client: TestClient, query: str
) -> None:
    answer = client.get("/kernels.json", params={"q": query})
    assert answer.status_code == 400
    assert answer.json()["problem"].startswith("Query, at character")
    assert 'role="alert"' in client.get("/kernels", params={"q": query}).text


def test_where_nothing_matches_what_is_like_it_is_named(client: TestClient) -> None:
    page = client.get("/kernels.json", params={"q": "licence = MIR"}).json()
    assert page["kernels"] == []
    assert "MIR" in " ".join(page["hints"])
    # counted for one value alone: strangers ask as much as they like
    for query in ("licence = MIR,MIS", "licence = MIR and name = nobody"):
        page = client.get("/kernels.json", params={"q": query}).json()
        assert (page["kernels"], page["hints"]) == ([], [])


def test_a_page_that_nobody_gave_is_refused(client: TestClient) -> None:
    for after in ("x", "a\0b\0c\0d", "a\0b\0c\0-1"):
        answer = client.get("/kernels.json", params={"after": after})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-request")


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("", "class = "),
        ("pass_c", "pass_call = "),
        ("name = x and lic", "licence = "),
        ("review = ", "accepted"),
        ("review = need", "needs-work"),
        ("superseded = ", "true"),
        ("pass_call.sm_80 = p", "pass"),
        ("name = sca", "scale_kernel"),
    ],
)
def test_fields_and_values_are_completed(
    client: TestClient, query: str, word: str
) -> None:
    completion = client.get("/completion", params={"q": query}).json()
    assert word in completion["words"]
    # what it makes of the query can be asked, or goes on
    completed = query[: completion["start"]] + word
    assert not completed.endswith("  ")


@pytest.mark.parametrize(
    ("piece", "end"), [("a", "!"), ("a=", " "), ("a.", "!"), (" ", "!"), ("a =", "a")]
)
def test_completing_a_long_query_costs_little(piece: str, end: str) -> None:
    query = (piece * 4096)[:4000] + end
    index = InMemoryKernelIndex()
    began = time.process_time()
    for _ in range(20):
        make_completion(index, query)
    assert time.process_time() - began < 0.5


def test_the_end_of_a_long_query_is_completed(client: TestClient) -> None:
    query = "name = x and " * 100 + "review = need"
    completion = client.get("/completion", params={"q": query}).json()
    assert query[completion["start"] :] == "need"
    assert completion["words"] == ["needs-work"]


def test_a_kernel_shows_all_that_is_known_of_it(client: TestClient) -> None:
    page = client.get("/kernels.json", params={"q": "block_sum"}).json()
    address = page["kernels"][0]["address"]
    text = client.get(address).text
    for word in ("Source", "Unit", "Port to HIP", "Builds", "Instantiations", "gfx90a"):
        assert word in text
    assert '<span class="kt">float</span>' in text or 'class="k' in text
    # the rule behind the header's change, beside the line
    assert "<code>header</code>" in text
    row = client.get(address.replace("/kernel?", "/kernel.json?")).json()
    assert row["kernel"]["name"] == "block_sum"
    assert row["address"] == address
    sample = client.get(address.replace("/kernel?", "/kernel/sample?"))
    assert sample.json() == row["kernel"]
    assert "attachment" in sample.headers["content-disposition"]
    assert sample.headers["cache-control"] == "no-store"


def test_a_unit_leads_to_its_kernel(client: TestClient) -> None:
    record = next(record for record in RECORDS if record.kernel.unit)
    assert record.kernel.unit
    answer = client.get(f"/units/{record.kernel.unit.digest}")
    assert answer.status_code == 303
    assert client.get(answer.headers["location"]).status_code == 200
    assert client.get("/units/short").status_code == 404
