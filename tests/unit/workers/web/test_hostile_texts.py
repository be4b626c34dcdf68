"""What strangers call things, and what they write, is shown as text and does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from tests.web_client import RECORDS, put_records, rename, serving
from workers.web.visible_text import spell_out

MARKUP = "<script>alert('x')</script><img src=x onerror=alert(1)>"
TERMINAL = "\x1b[2J\x1b]0;owned\x07"
BIDI = "a\u202eevil\u2066b\u200b"
LONG_LINE = "x" * 5_000_000
TEXT = f"__global__ void k() {{ }} // {MARKUP} {TERMINAL} {BIDI}\n"
NAMES = (MARKUP, TERMINAL, BIDI, "'\"><svg onload=alert(1)>", "{{ 7 * 7 }}", "y" * 400)
ALLOWED = {
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav"),
    *(
        "div",
        "main",
        "footer",
        "p",
        "code",
        "h1",
        "h2",
        "h3",
        "dl",
        "dt",
        "dd",
        "small",
    ),
    *(
        "section",
        "pre",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
    ),
    *(
        "form",
        "label",
        "input",
        "button",
        "details",
        "summary",
        "aside",
        "br",
        "caption",
    ),
    *("progress", "search", "kbd"),
}


class Tags(HTMLParser):
    """Gathers elements, attributes and text as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.scripts += tag == "script"

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    base = next(record for record in RECORDS if record.ports)
    records = []
    for number, name in enumerate(NAMES):
        # one has a line that no browser could show
        source = TEXT + (LONG_LINE if name == MARKUP else "")
        record = rename(base, name, source=source, tags=(MARKUP, BIDI))
        span = replace(record.kernel.span, path=f"src/{name[:60]}.cu", offset=number)
        kernel = replace(record.kernel, span=span)
        repo = replace(record.provenance.repo, owner=MARKUP, name=BIDI)
        provenance = replace(record.provenance, repo=repo)
        records.append(replace(record, kernel=kernel, provenance=provenance))
    with serving(tmp_path_factory.mktemp("home")) as (client, storage):
        put_records(storage, tuple(records))
        yield client


def read_page(client: TestClient, address: str) -> Tags:
    answer = client.get(address, headers={"Accept": "text/html"})
    assert answer.status_code in (200, 400, 404, 405, 413), address
    assert len(answer.content) < 200_000, address
    assert "\x1b" not in answer.text
    for character in "\u202e\u2066\u200b\x07":
        assert character not in answer.text
    tags = Tags()
    tags.feed(answer.text)
    assert tags.names <= ALLOWED, tags.names - ALLOWED
    assert tags.scripts == 1
    assert not {name for name in tags.attributes if name.startswith("on")}
    return tags


def test_every_page_shows_hostile_names_as_text(client: TestClient) -> None:
    listing = read_page(client, "/kernels")
    assert "<script>alert('x')</script>" in listing.text
    assert "\\u202e" in listing.text
    assert "{{ 7 * 7 }}" in listing.text
    lines = client.get("/kernels.json").json()["kernels"]
    assert len(lines) == len(NAMES)
    for line in lines:
        page = read_page(client, line["address"])
        assert "<img src=x onerror=alert(1)>" in page.text
    longest = next(line for line in lines if line["row"]["name"] == MARKUP)
    assert "5000000 characters" in read_page(client, longest["address"]).text
    address = longest["address"].replace("/kernel?", "/kernel.json?")
    assert client.get(address).json()["code"] == "too-large"
    repositories = read_page(client, "/repositories")
    assert "<script>" in repositories.text
    read_page(client, f"/reviews/{lines[0]['row']['digest']}")
    (name,) = {line["row"]["repo"] for line in lines}
    read_page(client, f"/repository?name={name}")


@pytest.mark.parametrize(
    "address",
    [
        "/kernels?q=<script>alert(1)</script>",
        "/kernels?q=%00%ff%1b[2J",
        "/kernels?crawl=<svg onload=alert(1)>",
        "/repositories?named=<script>",
        "/repository?name=%E2%80%AE<img src=x>",
        "/crawls/<script>alert(1)</script>",
        "/login?next=javascript:alert(1)",
        "/<script>",
    ],
)
def test_what_is_asked_for_is_shown_as_text(client: TestClient, address: str) -> None:
    read_page(client, address)


def test_json_is_ascii(client: TestClient) -> None:
    answer = client.get("/kernels.json")
    assert answer.content.isascii()
    assert b"\x1b" not in answer.content


def test_what_could_act_is_spelt_out_and_the_rest_stays() -> None:
    assert spell_out("a\x1b[1m\u202eb\ud800") == "a\\x1b[1m\\u202eb\\ud800"
    assert spell_out("tab\tline\nümläut 李\r\n") == "tab\tline\nümläut 李\n"
