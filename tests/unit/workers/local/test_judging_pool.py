"""A server without a broker has its judgings done by processes, one judging after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import Storage, open_storage
from workers.config.settings import Settings
from workers.local import judging_pool
from workers.local.judging_pool import JudgingPool
from workers.local.pool import LocalPool

_PATIENCE_SECONDS = 30.0


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    with open_storage(tmp_path) as storage:
        yield storage


def put_crawl(storage: Storage, locator: str) -> str:
    spec = TaskSpec(
        stage=Stage.JUDGE,
        key=locator,
        version="1",
        queue="judge",
        payload="{}",
        subject=locator,
    )
    return storage.ledger.open_crawl((locator,), (spec,))


class Runs:
    """What the worker processes of a crawl would do."""

    def __init__(self, storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.storage = storage
        self.crawls: list[str] = []
        self.failing = ""
        self.ended = threading.Semaphore(0)
        monkeypatch.setattr(LocalPool, "run", self._make_run())

    def _make_run(self) -> object:
        def run(pool: LocalPool) -> None:
            self.crawls.append(pool.crawl)
            try:
                pool.on_tick()
                if pool.crawl == self.failing:
                    raise Misconfigured("there is no clang: run `deploy/bootstrap`")
                claim = self.storage.ledger.claim("me", (Stage.JUDGE,), 60, pool.crawl)
                assert claim
                self.storage.ledger.finish(claim, Outcome())
            finally:
                self.ended.release()

        return run

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self.ended.acquire(timeout=_PATIENCE_SECONDS)


@pytest.fixture
def runs(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setattr(judging_pool, "_LOOK_SECONDS", 0.0)
    return Runs(storage, monkeypatch)


def test_what_was_left_comes_first_and_a_crawl_is_none_of_its_business(
    storage: Storage, runs: Runs, tmp_path: Path
) -> None:
    put_crawl(storage, "pypi:rollers")
    left_task = put_crawl(storage, "judge:1")
    pool = JudgingPool(Settings(home=tmp_path), storage)
    pool.start()
    runs.wait_for(1)
    added = put_crawl(storage, "judge:2")
    pool.add(added)
    runs.wait_for(1)
    pool.close()
    assert runs.crawls == [left_task, added]
    assert storage.ledger.count_unfinished(left_task) == 0


def test_a_machine_that_cannot_judge_says_so_until_it_can(
    storage: Storage, runs: Runs, tmp_path: Path
) -> None:
    runs.failing = put_crawl(storage, "judge:1")
    pool = JudgingPool(Settings(home=tmp_path), storage)
    pool.start()
    runs.wait_for(1)
    other = put_crawl(storage, "judge:2")
    pool.add(other)
    runs.wait_for(1)
    assert runs.crawls == [runs.failing, other]

    pool.add(runs.failing)
    runs.wait_for(1)
    pool.close()
    assert "no clang" in pool.problem


def test_a_judging_that_somebody_paused_keeps_no_other_waiting(
    storage: Storage, runs: Runs, tmp_path: Path
) -> None:
    paused, other = put_crawl(storage, "judge:1"), put_crawl(storage, "judge:2")
    storage.ledger.pause(paused)
    pool = JudgingPool(Settings(home=tmp_path), storage)
    pool.add(paused)
    pool.add(other)
    pool.start()
    # the one that was left is looked at once more, and has nothing to do
    runs.wait_for(2)
    pool.close()
    assert storage.ledger.count_unfinished(paused) == 1
    assert storage.ledger.count_unfinished(other) == 0
