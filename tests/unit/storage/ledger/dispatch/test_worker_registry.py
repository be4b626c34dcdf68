"""Workers live while their heartbeats come, and queues wait for whoever serves them."""

from __future__ import annotations

import pytest

from storage.ledger.interface import Lane
from tests.unit.storage.ledger.conftest import Tasks, make_task


def test_a_worker_lives_for_a_minute_after_its_last_heartbeat(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("w", ("q",), 2)
    tasks.clock.now += 59
    assert [worker.id for worker in tasks.workers.live_workers()] == ["w"]
    tasks.clock.now += 1
    assert tasks.workers.live_workers() == ()


def test_a_later_heartbeat_changes_all_but_the_start(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("w", ("q",), 2, {"q": "1"})
    tasks.clock.now += 10
    tasks.workers.record_heartbeat("w", ("q", "r"), 3, {"q": "2"})
    (worker,) = tasks.workers.live_workers()
    assert (worker.started_at, worker.seen_at) == (1000.0, 1010.0)
    assert (worker.queues, worker.processes) == (("q", "r"), 3)
    assert worker.revisions == {"q": "2"}


def test_a_worker_that_ends_is_gone_at_once(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("w", ("q",), 1)
    tasks.workers.remove_worker("w")
    tasks.workers.remove_worker("never came")
    assert tasks.workers.live_workers() == ()


def test_processes_of_a_queue_add_up(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("a", ("q", "r"), 2)
    tasks.workers.record_heartbeat("b", ("q",), 3)
    assert tasks.workers.processes_by_queue() == {"q": 5, "r": 2}


def test_a_worker_serves_its_own_revision_and_tasks_for_any(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("w", ("q", "r"), 1, {"q": "7"})
    assert tasks.workers.served_lanes() == {Lane("q"), Lane("q", "7"), Lane("r")}


def test_ready_tasks_of_a_queue_without_workers_are_blocked(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b", queue="r")))
    assert tasks.workers.blocked_queues(crawl) == {"q": 1, "r": 1}
    assert tasks.workers.is_crawl_blocked(crawl)
    tasks.workers.record_heartbeat("w", ("r",), 1)
    assert tasks.workers.blocked_queues(crawl) == {"q": 1}
    # what is served may spawn tasks for other queues
    assert not tasks.workers.is_crawl_blocked(crawl)


def test_a_crawl_with_a_running_task_is_not_blocked(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    tasks.claim_next()
    assert tasks.workers.blocked_queues(crawl) == {"q": 1}
    assert not tasks.workers.is_crawl_blocked(crawl)


def test_a_crawl_without_ready_tasks_is_not_blocked(tasks: Tasks) -> None:
    assert not tasks.workers.is_crawl_blocked("no-such-crawl")
    assert tasks.workers.blocked_queues("no-such-crawl") == {}


@pytest.mark.parametrize(
    ("pattern", "blocked"), [("q*", {}), ("gpu-*", {"q1": 1}), ("Q*", {"q1": 1})]
)
def test_queues_that_get_workers_by_themselves_are_not_blocked(
    tasks: Tasks, pattern: str, blocked: dict[str, int]
) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("a", queue="q1"),))
    assert tasks.workers.blocked_queues("", [pattern]) == blocked


def test_a_task_for_a_revision_that_no_worker_runs_is_blocked(tasks: Tasks) -> None:
    tasks.ledger.open_crawl(("x",), (make_task("a", revision="2"),))
    tasks.workers.record_heartbeat("w", ("q",), 1, {"q": "1"})
    assert tasks.workers.blocked_queues() == {"q": 1}
    tasks.workers.record_heartbeat("new", ("q",), 1, {"q": "2"})
    assert tasks.workers.blocked_queues() == {}


def test_a_row_that_nobody_renewed_for_an_hour_is_deleted(tasks: Tasks) -> None:
    tasks.workers.record_heartbeat("old", ("q",), 1)
    tasks.clock.now += 3601
    tasks.workers.record_heartbeat("new", ("q",), 1)
    tasks.clock.now -= 3601
    # back in time the old one would live, had its row stayed
    assert [worker.id for worker in tasks.workers.live_workers()] == ["new"]
