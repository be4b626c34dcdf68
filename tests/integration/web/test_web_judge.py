"""Candidates sent to a real server: judged by workers of this machine, within bounds, and once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage, open_storage
from tests.judged_kernel import BROKEN, HANGING, RIGHT, WRONG, put_judged_kernel
from tests.servers.web import serving

pytestmark = pytest.mark.apt
DOCUMENT = Path(__file__).parents[3] / "docs/judging.md"
_PATIENCE_SECONDS = 240.0
SECRET_WORD = "my_own_candidate"


@dataclass(frozen=True)
class Service:
    """A server, the task that it has, and who may ask."""

    home: Path
    task_id: str
    hidden: frozenset[str]
    token: str

    def client(self, address: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=address, headers=headers, timeout=60)


def fail_a_judging(storage: Storage) -> None:
    """Leave a judging that failed with what a compiler said of a candidate."""
    spec = TaskSpec(
        stage=Stage.JUDGE,
        key="k",
        version="1",
        queue="judge",
        payload="{}",
        subject="1 candidate",
    )
    storage.ledger.open_crawl(("judge",), (spec,))
    claim = storage.ledger.claim("nobody", (Stage.JUDGE,), 600)
    assert claim
    message = f"error: unknown type name {SECRET_WORD}: try again"
    storage.ledger.fail(claim, "not-judged", message)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    home: Path = tmp_path_factory.mktemp("home")
    with open_storage(home) as storage:
        task_id = put_judged_kernel(storage, home)
        (record,) = storage.index.records()
        hidden = [c.name for _, suite in record.suites for c in suite.cases if c.hidden]
        token = storage.tokens.add("ada", "reviewer")
        fail_a_judging(storage)
    assert hidden
    return Service(home, task_id, frozenset(hidden), token)


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[httpx.Client]:
    with serving(service.home) as address, service.client(address) as client:
        yield client


def lines(*rows: tuple[str, str]) -> bytes:
    texts = (json.dumps({"task_id": task, "completion": text}) for task, text in rows)
    return "".join(text + "\n" for text in texts).encode()


def wait_for(client: httpx.Client, address: str) -> dict[str, Any]:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        judging: dict[str, Any] = client.get(address).json()
        if judging["state"] == "complete":
            return judging
        assert time.monotonic() < deadline, judging
        time.sleep(0.3)


def read_failed_judging(client: httpx.Client, crawl: str) -> tuple[str, str]:
    """Return what the page of a crawl says of its failed judging, and the whole page."""
    address = f"/crawls/{crawl}"
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not (
        failures := client.get(address, headers={"Accept": "application/json"}).json()[
            "failures"
        ]
    ):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    (failure,) = failures
    assert (failure["code"], failure["stage"]) == ("not-judged", "judge")
    return failure["example"], client.get(address, headers={"Accept": "text/html"}).text


@pytest.mark.parametrize("crawl", ["all", "own"])
def test_what_a_compiler_said_of_a_candidate_is_for_reviewers(
    client: httpx.Client, service: Service, crawl: str
) -> None:
    with open_storage(service.home) as storage:
        crawls = storage.ledger.crawls()
        (own,) = [crawl.id for crawl in crawls if "judge" in crawl.locators]
    crawl = own if crawl == "own" else crawl
    with httpx.Client(base_url=client.base_url, timeout=60) as stranger:
        example, page = read_failed_judging(stranger, crawl)
    assert SECRET_WORD not in example + page
    assert "log in" in example
    assert "docs/operating.md" in page

    example, page = read_failed_judging(client, crawl)
    assert SECRET_WORD in example
    assert SECRET_WORD in page


@pytest.mark.slow
def test_a_right_a_wrong_a_broken_and_a_hanging_candidate_are_told_apart(
    client: httpx.Client, service: Service
) -> None:
    task = service.task_id
    texts = (RIGHT, WRONG, BROKEN, HANGING, RIGHT)
    body = lines(*((task, text) for text in texts), ("0123456789abcdef/k", RIGHT))
    accepted = client.post("/judge?seconds=1", content=body)
    assert accepted.status_code == 202, accepted.text
    address = accepted.json()["url"]
    assert accepted.headers["location"] == address

    judging = wait_for(client, address)
    assert (judging["candidates"], judging["judged"], judging["failures"]) == (6, 6, {})
    rows = {(row["task_id"], row["number"]): row for row in judging["judgements"]}
    outcomes = [
        (rows[task, n]["pass_call"], rows[task, n]["pass_exe"]) for n in range(5)
    ]
    assert outcomes == [
        (True, True),
        (True, False),
        (False, False),
        (True, False),
        (True, True),
    ]
    assert rows["0123456789abcdef/k", 0]["code"] == "unknown-task"
    assert "too long" in rows[task, 3]["exe_err_msg"]

    overall = judging["rates"][0]
    assert (overall["group"], overall["pass_exe"]) == ("all", 2)
    assert overall["pass_at"]["1"] == pytest.approx(0.4)
    assert not [name for name in service.hidden if name in json.dumps(judging)]

    page = client.get(address, params={"start": 4, "limit": 1}).json()
    assert page["judgements"] == judging["judgements"][4:5]
    assert page["next_start"] == 5

    # the same candidates again are the same judging, and nothing runs
    again = client.post("/judge?seconds=1", content=body)
    assert again.json() == accepted.json()
    assert client.get(address).json() == judging


@pytest.mark.slow
def test_what_a_server_left_is_judged_by_the_next_one(service: Service) -> None:
    body = lines((service.task_id, BROKEN + "// left\n"))
    with serving(service.home) as address, service.client(address) as client:
        judging = client.post("/judge", content=body).json()["url"]
    with serving(service.home) as address, service.client(address) as client:
        ended = wait_for(client, judging)
    (row,) = ended["judgements"]
    assert (row["pass_call"], row["code"]) == (False, "")


def test_the_documented_commands_send_candidates_and_show_judgements(
    client: httpx.Client, service: Service, tmp_path: Path
) -> None:
    sending, looking = re.findall("^curl .*$", DOCUMENT.read_text(), re.MULTILINE)
    (tmp_path / "answers.jsonl").write_bytes(lines(("0123456789abcdef/k", RIGHT)))

    def run(command: str, **variables: str) -> dict[str, Any]:
        address = str(client.base_url).rstrip("/")
        words = {"TOKEN": service.token, "ADDRESS": address, **variables}
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env={**os.environ, **words},
            capture_output=True,
            check=True,
        )
        parsed: dict[str, Any] = json.loads(ended.stdout)
        return parsed

    accepted = run(sending)
    judging = run(looking, ID=accepted["id"])
    assert (judging["state"], judging["judged"]) == ("complete", 1)
    assert judging["judgements"][0]["code"] == "unknown-task"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 422, "no candidate"),
        (b"{", 422, "line 1"),
        (b'{"task_id": "a", "completion": "\xff"}', 422, "utf-8"),
        (b'{"task_id": "a\\u0000", "completion": ""}', 422, "line 1"),
        (b'{"task_id": "a", "x": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", 422, "deep"),
        (b'{"task_id": "a", "completion": ""}\n' * 1001, 413, "1000 candidates"),
        (b"\x00" * 100, 422, "line 1"),
        (b" " * (9 << 20), 413, "8 MiB"),
    ],
    ids=["empty", "cut", "latin", "nul", "deep", "many", "zeros", "huge"],
)
def test_a_hostile_body_is_refused_in_words(
    client: httpx.Client, body: bytes, status: int, words: str
) -> None:
    answer = client.post("/judge", content=body)
    assert answer.status_code == status
    assert words in answer.json()["message"]


@pytest.mark.parametrize("field", ["task_id", "language"])
def test_a_body_of_many_tasks_is_refused(client: httpx.Client, field: str) -> None:
    row = {"task_id": "0123456789abcdef/k", "completion": "", "language": ""}
    rows = ({**row, field: f"{number:016x}/k"} for number in range(101))
    body = "".join(json.dumps(row) + "\n" for row in rows)
    answer = client.post("/judge", content=body)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def wait_for_run(client: httpx.Client, address: str) -> dict[str, Any]:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        answer = client.get(address, headers={"Accept": "application/json"})
        run: dict[str, Any] = answer.json()["run"]
        if run["state"] == "complete":
            return run
        assert time.monotonic() < deadline, run


def test_a_reviewer_has_a_kernel_run_again(
    service: Service, client: httpx.Client
) -> None:
    with open_storage(service.home) as storage:
        (record,) = storage.index.records()
    assert record.kernel.unit is not None

    response = client.post(f"/reviews/{record.kernel.unit.digest}/run")
    assert response.status_code == 303, response.text
    address = response.headers["location"]
    run = wait_for_run(client, address)

    (judgement,) = run["judgements"]
    assert judgement["language"] == "cuda"
    assert (judgement["pass_call"], judgement["pass_exe"]) == (True, True), judgement
    assert judgement["fresh_inputs"] > 0
    assert "Run again" in client.get(address).text
    stranger = {"Authorization": "", "Accept": "application/json"}
    assert client.get(address, headers=stranger).json()["run"] is None
