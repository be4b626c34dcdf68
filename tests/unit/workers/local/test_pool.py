"""The parent of worker processes: what it does when they die, stop or are left behind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from crawler import process
from crawler.errors import CrawlError, Misconfigured
from storage.ledger.interface import Stage, State
from storage.open import Storage
from workers.config.settings import Settings
from workers.execution.events import TaskEnded
from workers.local.crawl import _is_pinned
from workers.local.pool import LocalPool
from workers.tasks.payloads import ListPayload
from workers.tasks.task_specs import make_task_spec

MakePool = Callable[..., LocalPool]


@pytest.fixture
def events() -> list[TaskEnded]:
    return []


@pytest.fixture
def make_listing_pool(
    storage: Storage, tmp_path: Path, events: list[TaskEnded]
) -> MakePool:
    """Make a pool for a crawl that lists a folder that is not there."""

    def make_pool(**changes: object) -> LocalPool:
        defaults: dict[str, Any] = {"home": tmp_path, "workers": 1}
        settings = Settings(**{**defaults, **changes})
        listing = make_task_spec(
            Stage.LIST,
            ListPayload(locator=str(tmp_path / "absent"), targets=("sm_80",)),
            "absent",
        )
        crawl = storage.ledger.open_crawl(("absent",), (listing,))
        return LocalPool(
            settings=settings,
            storage=storage,
            crawl=crawl,
            on_event=events.append,
            on_tick=lambda: None,
        )

    return make_pool


@pytest.fixture(autouse=True)
def assert_no_child_survives(tmp_path: Path) -> object:
    yield
    # servers that other tests share stay
    children = psutil.Process().children(recursive=True)
    assert [
        child for child in children if child.name() not in ("postgres", "valkey-server")
    ] == []
    scratch = tmp_path / "scratch"
    assert not scratch.exists() or list(scratch.iterdir()) == []


def test_a_worker_tells_how_its_task_ended_and_leaves(
    make_listing_pool: MakePool, storage: Storage, events: list[TaskEnded]
) -> None:
    pool = make_listing_pool()
    pool.run()
    assert [(event.stage, event.state, event.code) for event in events] == [
        ("list", "failed", "not-found")
    ]
    assert storage.ledger.count_unfinished(pool.crawl) == 0
    pool.run()
    assert len(events) == 1


def test_what_the_operator_must_mend_ends_the_run_and_keeps_the_task(
    make_listing_pool: MakePool, storage: Storage
) -> None:
    pool = make_listing_pool(free_bytes=1 << 60)
    with pytest.raises(Misconfigured) as raised:
        pool.run()
    assert raised.value.code == "disk-full"
    assert storage.ledger.task_counts(pool.crawl) == ((Stage.LIST, State.READY, "", 1),)


def test_workers_that_all_die_at_once_are_not_started_for_ever(
    make_listing_pool: MakePool, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = make_listing_pool()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CrawlError, match="kernelset doctor") as raised:
        pool.run()
    assert raised.value.code == "workers-die"
    assert storage.ledger.count_unfinished(pool.crawl) == 1


@pytest.mark.parametrize(("folders", "started"), [(1, 1), (3, 2)])
def test_no_more_workers_are_started_than_there_is_work_for(
    make_listing_pool: MakePool,
    storage: Storage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folders: int,
    started: int,
) -> None:
    pool = make_listing_pool(workers=2)
    tasks = tuple(
        make_task_spec(
            Stage.LIST,
            ListPayload(locator=f"{tmp_path}/{name}", targets=("sm_80",)),
            name,
        )
        for name in map(str, range(folders))
    )
    pool.crawl = storage.ledger.open_crawl(("absent",), tasks)
    starts: list[object] = []
    start = process.start

    def count_starts(*words: Any, **options: Any) -> Any:
        starts.append(words)
        return start(*words, **options)

    monkeypatch.setattr(process, "start", count_starts)
    pool.run()
    assert len(starts) == started
    assert storage.ledger.count_unfinished(pool.crawl) == 0


@pytest.mark.parametrize(
    ("locator", "pinned"),
    [
        ("pypi:mmcv==2.2.0", True),
        ("pypi:mmcv", False),
        ("git+https://example.org/a/b@" + "0123456789" * 4, True),
        ("git+https://example.org/a/b@v1.0", False),
        ("git+https://example.org/a/b", False),
        ("./folder", False),
    ],
)
def test_what_may_name_something_else_tomorrow_is_listed_anew(
    locator: str, pinned: bool
) -> None:
    assert _is_pinned(locator) is pinned


def test_a_folder_is_never_pinned_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "mmcv==2.2.0").mkdir()
    assert not _is_pinned(str(tmp_path / "mmcv==2.2.0"))
