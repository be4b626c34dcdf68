"""Candidates that are sent to the page: who may, how many, and what waits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_task import JudgingTask
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import Storage
from tests.web_client import serving
from workers.judging.judging_request import open_judging
from workers.web.pages import judge

BODY = b'{"task_id": "0123456789abcdef/k", "completion": "int a;"}\n'
Page = tuple[TestClient, Storage, dict[str, str]]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A page of a cluster, where workers elsewhere judge."""
    broker = "redis://127.0.0.1:1/0"
    with serving(tmp_path / "home", broker=broker) as (client, storage):
        token = storage.tokens.add("ada", "reviewer")
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        yield client, storage, headers


def put_waiting_batch(storage: Storage) -> None:
    spec = TaskSpec(
        stage=Stage.JUDGE,
        key="1",
        version="1",
        queue="judge",
        payload="{}",
        subject="x",
    )
    storage.ledger.open_crawl(("judge:1",), (spec,))


def test_what_no_kernel_has_is_told_at_once_and_no_worker_is_asked(page: Page) -> None:
    client, storage, headers = page
    accepted = client.post("/judge", content=BODY, headers=headers)
    assert accepted.status_code == 202
    judging = client.get(accepted.json()["url"], headers=headers).json()
    assert (judging["state"], judging["candidates"]) == ("complete", 1)
    assert judging["judgements"][0]["code"] == "unknown-task"
    assert storage.ledger.count_unfinished("") == 0


def test_more_than_may_wait_is_sent_later(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, storage, headers = page
    monkeypatch.setattr(judge, "MAX_WAITING_BATCHES", 1)
    put_waiting_batch(storage)
    refused = client.post("/judge", content=BODY, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (429, "judging-full")
    assert int(refused.headers["retry-after"]) > 0
    assert "later" in refused.json()["message"]

    claim = storage.ledger.claim("me", (Stage.JUDGE,), 60)
    assert claim
    storage.ledger.finish(claim, Outcome())
    assert client.post("/judge", content=BODY, headers=headers).status_code == 202


def test_no_two_many_requests_are_looked_at_in_the_same_moment(page: Page) -> None:
    client, _, headers = page
    with judge._OPENING, judge._OPENING:
        refused = client.post("/judge", content=BODY, headers=headers)
    assert refused.status_code == 429
    assert client.post("/judge", content=BODY, headers=headers).status_code == 202


@pytest.mark.parametrize("seconds", ["0", "61", "x"])
def test_seconds_are_bounded(page: Page, seconds: str) -> None:
    client, _, headers = page
    answer = client.post(f"/judge?seconds={seconds}", content=BODY, headers=headers)
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("device=tpu", "bad-device"),
        # each arch has its own queue
        ("device=rocm", "bad-device"),
        ("device=rocm:gfx942&steps=true", "bad-options"),
        # a CPU's times say nothing
        ("times=true", "bad-options"),
        ("targets=x86", "bad-target"),
        ("steps=perhaps", "bad-request"),
    ],
)
def test_what_nobody_could_do_is_refused(page: Page, query: str, code: str) -> None:
    client, _, headers = page
    answer = client.post(f"/judge?{query}", content=BODY, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


@pytest.mark.parametrize(
    "query",
    ["device=rocm:gfx942", "steps=true&targets=gfx90a", "device=cuda:sm_90&times=true"],
)
def test_another_device_counted_steps_and_times_may_be_asked_for(
    page: Page, query: str
) -> None:
    client, _, headers = page
    answer = client.post(f"/judge?{query}", content=BODY, headers=headers)
    assert answer.status_code == 202


def test_a_judging_that_nobody_asked_for_is_not_there(page: Page) -> None:
    client, storage, headers = page
    put_waiting_batch(storage)
    (crawl,) = storage.ledger.crawls()
    for name in ("0" * 12, crawl.id):
        assert client.get(f"/judge/{name}", headers=headers).status_code == 404
    assert client.get("/judge/../x", headers=headers).status_code == 404
    assert client.get(f"/judge/{'0' * 12}").status_code == 401


def test_judgements_come_in_pages(page: Page) -> None:
    client, _, headers = page
    rows = [{"task_id": f"{n % 7}/k", "completion": str(n)} for n in range(25)]
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    address = client.post("/judge", content=body, headers=headers).json()["url"]
    seen_keys: list[tuple[str, int]] = []
    query: dict[str, Any] = {"start": 0, "limit": 10}
    while query["start"] is not None:
        page_of_judging = client.get(address, params=query, headers=headers).json()
        seen_keys += [
            (r["task_id"], r["number"]) for r in page_of_judging["judgements"]
        ]
        query["start"] = page_of_judging["next_start"]
    assert seen_keys == sorted({(f"{n % 7}/k", n // 7) for n in range(25)})


@pytest.mark.parametrize(
    ("device", "queue"), [("cpu", "judge"), ("rocm:gfx942", "judge.rocm.gfx942")]
)
def test_a_judging_says_that_nobody_serves_its_queue(
    page: Page, device: str, queue: str
) -> None:
    client, storage, headers = page
    task = JudgingTask(task_id="t", test="t", language="hip", files={"t": b""})
    judging = open_judging(
        [Candidate(task_id="t", number=0, completion="int a;")],
        lambda _id, _language: task,
        storage,
        options=JudgeOptions(case_seconds=1, device=device),
        account="ada",
    )
    answer = client.get(f"/judge/{judging}", headers=headers).json()
    assert (answer["state"], answer["judged"]) == ("active", 0)
    assert f"serves the queue `{queue}`" in answer["problem"]
    assert "kernelset worker" in answer["problem"]
