"""Every page answers people and programs, and forbids browsers whatever it does not need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from storage.open import open_storage
from tests.web_client import JSON, RECORDS, fill_with_records, serving
from workers.config.settings import Settings
from workers.web.app import create_app
from workers.web.middleware import SecurityHeaders

PAGES = (
    "/crawls",
    "/crawls/all",
    "/kernels",
    "/repositories",
    "/reviews",
    "/login",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home: Path = tmp_path_factory.mktemp("home")
    with serving(home) as (client, storage):
        fill_with_records(storage)
        yield client


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_html_for_people_and_json_for_programs(
    client: TestClient, page: str
) -> None:
    page_text = client.get(page, headers={"Accept": "text/html,application/xhtml+xml"})
    assert page_text.status_code == 200
    assert page_text.headers["content-type"].startswith("text/html")
    assert "<h1" in page_text.text
    for answer in (client.get(page, headers=JSON), client.get(f"{page}.json")):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert isinstance(answer.json(), dict)


@pytest.mark.parametrize("page", [*PAGES, "/nothing", "/static/kernelset.css"])
def test_no_page_lets_a_browser_load_from_elsewhere(
    client: TestClient, page: str
) -> None:
    headers = client.get(page).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert len(headers.get_list("content-security-policy")) == 1


def test_an_unexpected_error_has_the_same_headers(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        app = create_app(storage, Settings(home=tmp_path))
        app.state.context = None
        wrapped = SecurityHeaders(app)
        client = TestClient(wrapped, raise_server_exceptions=False)
        answer = client.get("/crawls")
    assert answer.status_code == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_script_or_style_of_its_own(client: TestClient, page: str) -> None:
    text = client.get(page).text
    assert "style=" not in text
    assert "<style" not in text
    assert "onclick" not in text
    assert text.count("<script") == text.count('<script src="/static/') == 1


def test_a_page_with_all_that_it_loads_weighs_less_than_200_kilobytes(
    client: TestClient,
) -> None:
    kernels = client.get("/kernels.json").json()["kernels"]
    kernel_pages = [line["address"] for line in kernels]
    for page in (*PAGES, *kernel_pages):
        text = client.get(page).text
        assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', text)
        assert "/static/pico/pico.min.css" in assets
        contents = [client.get(asset).content for asset in assets]
        assert len(text.encode()) + sum(map(len, contents)) < 200_000, page


def test_what_is_not_there_is_said_with_what_to_do(client: TestClient) -> None:
    for address in (
        "/crawls/none",
        f"/units/{'0' * 64}",
        f"/reviews/{'0' * 64}",
        "/kernel?repo=a&commit=b&path=c&offset=1",
        "/repository?name=none",
    ):
        answer = client.get(address, headers=JSON)
        assert answer.status_code == 404, address
        assert answer.json()["code"] == "not-found"
        assert "lists" in answer.json()["message"]
    assert client.get("/nothing").status_code == 404
    assert client.get("/kernels?limit=0", headers=JSON).json()["code"] == "bad-request"
    assert client.post("/kernels").status_code == 405


@pytest.mark.parametrize("address", ["/kernels?crawl=a%00b", "/crawls/a%00b"])
def test_no_store_is_asked_for_what_it_cannot_hold(
    client: TestClient, address: str
) -> None:
    answer = client.get(address, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-request")


def test_the_server_says_that_it_is_well(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_who_comes_first_is_led_to_the_crawls(client: TestClient) -> None:
    assert client.get("/").headers["location"] == "/crawls"


def test_a_crawl_shows_its_stages_failures_and_funnel(client: TestClient) -> None:
    (crawl,) = client.get("/crawls.json").json()["crawls"]
    page = client.get(f"/crawls/{crawl['id']}.json").json()
    (stage,) = page["stages"]
    assert stage["stage"] == "clone"
    assert stage["states"] == {"ready": 1, "done": 1, "failed": 1}
    assert page["total"]["tasks_left"] == 1
    (failure,) = page["failures"]
    assert (failure["code"], failure["tasks"]) == ("network-down", 1)
    assert "example.org" in failure["example"]
    numbers = {step["name"]: step["number"] for step in page["funnel"]}
    assert numbers["kernels"] == len(RECORDS)
    assert numbers["distinct units cut out"] > 0
    page_text = client.get(f"/crawls/{crawl['id']}").text
    assert "see that example.org is up" in page_text
    assert "network-down" in page_text


def test_a_funnel_step_leads_to_its_kernels(client: TestClient) -> None:
    page = client.get("/crawls/all.json").json()
    for step in page["funnel"]:
        if step["query"] and step["number"]:
            listing = client.get("/kernels.json", params={"q": step["query"]}).json()
            assert listing["kernels"], step["name"]


def test_repositories_show_what_they_gave(client: TestClient) -> None:
    listing = client.get("/repositories.json").json()
    names = {line["name"] for line in listing["repositories"]}
    assert names == {record.provenance.repo.label for record in RECORDS}
    name = min(names)
    page = client.get("/repository.json", params={"name": name}).json()
    assert page["commits"]
    assert page["counts"]["found_by"]
    few = client.get("/repositories.json", params={"named": name.upper()[:4]}).json()
    assert {line["name"] for line in few["repositories"]} <= names
    assert name in {line["name"] for line in few["repositories"]}
