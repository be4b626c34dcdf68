"""The page of a crawl: its stages in order, its failures by code, and what came of it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from storage.index.query.parser import parse_query
from storage.ledger.interface import Stage, State, TaskSpec
from storage.open import Storage
from tests.web_client import JSON, fill_with_records, serving
from workers.status.crawl_status import StageProgress
from workers.status.crawl_summary import count_funnel
from workers.web.pages.crawl import (
    FailureGroup,
    _count_steps,
    _iter_failures,
    _iter_place_steps,
    _iter_steps,
    _make_line,
)


def make_task(key: str, stage: Stage = Stage.CLONE) -> TaskSpec:
    return TaskSpec(
        stage=stage, key=key, version="1", queue="q", payload="{}", subject=key
    )


def fail(storage: Storage, code: str, message: str, *, rejected: bool = False) -> None:
    claim = storage.ledger.claim("nobody", (Stage.LIST,), 600)
    assert claim
    storage.ledger.fail(claim, code, message, rejected=rejected)


@pytest.fixture
def crawl_site(tmp_path: Path) -> Iterator[tuple[TestClient, Storage, str]]:
    with serving(tmp_path) as (client, storage):
        yield client, storage, fill_with_records(storage)


@pytest.mark.parametrize(
    ("states", "done_share", "tasks_left"),
    [
        ({}, 1.0, 0),
        ({State.DONE: 3}, 1.0, 0),
        ({State.DONE: 1, State.READY: 3}, 0.25, 3),
        ({State.FAILED: 1, State.REJECTED: 1, State.CANCELLED: 1}, 1.0, 0),
        ({State.WAITING: 1, State.RUNNING: 1, State.FAILED: 2}, 0.5, 2),
    ],
)
def test_what_has_ended_in_any_way_is_done_with(
    states: dict[State, int], done_share: float, tasks_left: int
) -> None:
    progress = StageProgress(states=states, per_minute=2.0, seconds_left=90.0)
    line = _make_line("clone", progress)
    assert (line.done_share, line.tasks_left) == (done_share, tasks_left)
    assert line.seconds_left == (90.0 if tasks_left else 0.0)
    assert line.states == {state.value: count for state, count in states.items()}


def test_failures_are_grouped_by_code_the_most_frequent_first(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    _, storage, _ = crawl_site
    tasks = tuple(make_task(f"task {number}", Stage.LIST) for number in range(4))
    crawl = storage.ledger.open_crawl(("pypi:b",), tasks)
    fail(storage, "no-space", "first: make room\n")
    fail(storage, "bad-locator", "x" * 10_000)
    fail(storage, "no-space", "second: make room")
    fail(storage, "no-space", "third: opted out", rejected=True)
    groups = list(_iter_failures(storage, crawl))
    assert [(group.code, group.state, group.tasks) for group in groups] == [
        ("no-space", "failed", 2),
        ("bad-locator", "failed", 1),
        ("no-space", "rejected", 1),
    ]
    assert groups[0] == FailureGroup(
        code="no-space",
        stage="list",
        state="failed",
        tasks=2,
        example="task 0: first: make room",
    )
    assert len(groups[1].example) == 500


def test_each_step_of_the_funnel_is_listed_by_its_query(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    _, storage, crawl = crawl_site
    repositories, totals = _count_steps(storage, crawl)
    steps = {step.name: step for step in _iter_steps(repositories, totals)}
    assert steps["kernels"].number == count_funnel(storage, crawl).kernels > 0
    assert repositories == count_funnel(storage, crawl).repositories
    listed = [step for step in steps.values() if step.query]
    assert len(listed) >= 4
    for step in listed:
        parse_query(step.query)
        units = {
            row.digest
            for row in storage.index.query(step.query, crawl=crawl)
            if row.digest
        }
        if step.name not in ("kernels",):
            assert len(units) == step.number, step.name


def test_what_agrees_with_itself_counts_as_come_through() -> None:
    places = {
        "cpu": {"pass": 1, "consistent": 2, "conditional": 4, "fail": 8, "skipped": 16},
        "rocm:gfx90a": {"fail": 3},
    }
    steps = list(_iter_place_steps("ran on", "pass_exe", places, 14))
    assert [(step.name, step.number, step.share) for step in steps] == [
        ("ran on cpu", 7, 0.5),
        ("ran on rocm:gfx90a", 0, 0.0),
    ]
    assert steps[1].query == "pass_exe.rocm:gfx90a = pass,consistent,conditional"


@pytest.mark.parametrize(
    ("units", "number", "share"), [(0, 0, 0.0), (0, 2, 1.0), (4, 1, 0.25), (1, 3, 1.0)]
)
def test_a_share_is_never_more_than_all(units: int, number: int, share: float) -> None:
    (step,) = _iter_place_steps("ran on", "pass_exe", {"cpu": {"pass": number}}, units)
    assert step.share == share


def test_the_page_of_a_crawl_tells_of_its_own_tasks_alone(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    client, storage, crawl = crawl_site
    storage.ledger.open_crawl(("pypi:other",), (make_task("other", Stage.LIST),))
    own = client.get(f"/crawls/{crawl}", headers=JSON).json()
    assert [line["stage"] for line in own["stages"]] == ["clone"]
    assert [group["code"] for group in own["failures"]] == ["network-down"]
    every = client.get("/crawls/all", headers=JSON).json()
    # in the order of the pipeline, and not of their names
    assert [line["stage"] for line in every["stages"]] == ["list", "clone"]
    assert (every["crawl"], every["state"]) == ("", "")
    total = sum(every["total"]["states"].values())
    assert total == sum(sum(line["states"].values()) for line in every["stages"])


def test_states_that_no_task_is_in_have_no_column(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    client, _, crawl = crawl_site
    shown = client.get(f"/crawls/{crawl}").text
    columns = re.findall('scope="col" class="number">([a-z]+)</th>', shown)
    assert {"ready", "done", "failed"} <= set(columns)
    assert not {"waiting", "running", "cancelled"} & set(columns)


def test_a_crawl_that_only_lacks_runs_says_who_has_them_run(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    client, storage, _ = crawl_site

    def ask(*keys: str, stage: Stage = Stage.VALIDATE_CPU) -> str:
        tasks = tuple(make_task(key, stage) for key in keys)
        crawl = storage.ledger.open_crawl(keys, tasks)
        return client.get(f"/crawls/{crawl}").text

    assert "a task that nobody has asked for" in ask("a")
    assert "2 tasks that nobody has asked for" in ask("b", "c")
    assert "nobody has asked" not in ask("d", stage=Stage.LIST)
    assert storage.ledger.claim("somebody", (Stage.VALIDATE_CPU,), 600)
    shown = ask("a", "e")
    assert "2 tasks are left" in shown
    assert "nobody has asked" not in shown


@pytest.mark.parametrize("name", ["none", "ALL", "' OR 1=1", "%"])
def test_an_unknown_crawl_is_said(
    crawl_site: tuple[TestClient, Storage, str], name: str
) -> None:
    client, _, _ = crawl_site
    answer = client.get(f"/crawls/{name}", headers=JSON)
    assert answer.status_code == 404
    assert "`/crawls` lists them" in answer.json()["message"]


def test_the_page_of_a_crawl_says_what_was_asked_for(
    crawl_site: tuple[TestClient, Storage, str],
) -> None:
    client, storage, crawl = crawl_site
    storage.ledger.open_crawl(("pypi:others",), (make_task("others", Stage.LIST),))
    page = client.get(f"/crawls/{crawl}", headers=JSON).json()
    assert page["locators"] == ["pypi:rollers"]
    assert "<code>pypi:rollers</code>" in client.get(f"/crawls/{crawl}").text
    assert client.get("/crawls/all", headers=JSON).json()["locators"] == []


def test_workers_say_what_they_serve_and_queues_that_nobody_serves_are_named(
    tmp_path: Path,
) -> None:
    broker = SecretStr("redis://127.0.0.1:1/0")
    with serving(tmp_path, broker=broker) as (client, storage):
        crawl = storage.ledger.open_crawl(("pypi:x",), (make_task("x"),))
        page = client.get(f"/crawls/{crawl}").text
        assert "No worker serves <code>q</code>: 1 task waits." in page
        assert "<code>kernelset worker --queues 'q'</code> starts one" in page
        storage.worker_registry.record_heartbeat("node7:1/2/3", ("q", "validate"), 3)
        # what is counted is kept for a moment
        deadline = time.monotonic() + 60
        while "No worker serves" in page and time.monotonic() < deadline:
            time.sleep(0.1)
            page = client.get(f"/crawls/{crawl}").text
        assert "No worker serves" not in page
        assert 'data-label="Serves">q, validate</td>' in page
        assert "node7" in page
