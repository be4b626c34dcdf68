"""Crawls that are opened, paused, resumed and cancelled at any moment, while dispatchers and
workers go on: what must hold of the ledger then, whatever came before.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import Engine

from storage.database.engine import create_sqlite_engine
from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.interface import Outcome, Stage
from tests.unit.storage.ledger.conftest import Tasks, make_task
from tests.unit.storage.ledger.crawl_machine import LANE, CrawlMachine


def test_any_history_keeps_what_the_ledger_promises(
    migrated_database: Path, tmp_path: Path
) -> None:
    engines: list[Engine] = []

    def new_engine() -> Engine:
        path = tmp_path / f"{len(engines)}.db"
        shutil.copy(migrated_database, path)
        engines.append(create_sqlite_engine(path))
        return engines[-1]

    machine = type("Machine", (CrawlMachine,), {"new_engine": staticmethod(new_engine)})
    checks = settings(
        max_examples=25,
        stateful_step_count=30,
        deadline=None,
        # shrinking a history takes minutes: turn it on where one fails
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine, settings=checks)
    finally:
        for engine in engines:
            engine.dispose()


def test_a_crawl_that_is_unknown_has_no_state(tasks: Tasks) -> None:
    assert tasks.ledger.crawl_state("no-such-crawl") == ""
    assert not tasks.ledger.pause("no-such-crawl")
    assert not tasks.ledger.resume("no-such-crawl")
    assert tasks.ledger.cancel("no-such-crawl") == 0


def test_a_pause_keeps_what_runs_and_stops_what_follows(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    claim = tasks.claim_next()
    assert tasks.ledger.pause(crawl)
    assert tasks.ledger.extend_lease(claim, 60)
    child = make_task("child", Stage.CLONE)
    assert tasks.ledger.finish(claim, Outcome(children=(child,)))
    assert tasks.ledger.claim("me", tuple(Stage), 60) is None
    assert tasks.ledger.resume(crawl)
    assert {tasks.claim_next().key, tasks.claim_next().key} == {"b", "child"}


def test_a_pause_gives_the_places_of_its_messages_to_others(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"),))
    limits = DispatchLimits(messages_per_lane=1)
    assert len(tasks.window.take_due_messages({LANE: 60.0}, limits)) == 1
    tasks.ledger.open_crawl(("y",), (make_task("b"),))
    assert tasks.window.take_due_messages({LANE: 60.0}, limits) == ()
    tasks.ledger.pause(crawl)
    (message,) = tasks.window.take_due_messages({LANE: 60.0}, limits)
    claim = tasks.ledger.claim_dispatched("me", message.task, message.generation, 60)
    assert claim
    assert claim.key == "b"


@pytest.mark.parametrize("end", ["finish", "fail", "extend"])
def test_a_cancelled_task_is_no_longer_its_workers(tasks: Tasks, end: str) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"),))
    claim = tasks.claim_next()
    assert tasks.ledger.cancel(crawl) == 1
    if end == "finish":
        child = make_task("child", Stage.CLONE)
        assert not tasks.ledger.finish(claim, Outcome(children=(child,)))
    elif end == "fail":
        assert not tasks.ledger.fail(claim, "no", "why")
    else:
        assert not tasks.ledger.extend_lease(claim, 60)
    assert tasks.ledger.count_unfinished("") == 0
    assert tasks.ledger.failures() == ()


def test_to_cancel_twice_cancels_nothing_more(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    assert tasks.ledger.cancel(crawl) == 2
    assert tasks.ledger.cancel(crawl) == 0
    assert tasks.ledger.crawl_state(crawl) == "cancelled"


def cancel_beside_a_crawl_with_the_same_child(tasks: Tasks) -> tuple[str, str]:
    """Return a crawl that is done and one that was cancelled after its child was."""
    crawls = []
    for name in ("x", "y"):
        crawls.append(tasks.ledger.open_crawl((name,), (make_task(name),)))
        shared = Outcome(
            children=(make_task("shared", Stage.EXTRACT),),
            continuation=make_task(name, Stage.LINK),
        )
        assert tasks.ledger.finish(tasks.claim_next(Stage.LIST), shared)
    assert tasks.ledger.fail(tasks.claim_next(Stage.EXTRACT), "no", "why")
    assert tasks.ledger.finish(tasks.claim_next(Stage.LINK), Outcome())
    tasks.ledger.cancel(crawls[1])
    return crawls[0], crawls[1]


def test_what_only_a_cancelled_crawl_has_does_not_run_again_with_a_shared_task(
    tasks: Tasks,
) -> None:
    _, cancelled = cancel_beside_a_crawl_with_the_same_child(tasks)
    assert tasks.ledger.retry() == 1
    for stage in (Stage.EXTRACT, Stage.LINK):
        assert tasks.ledger.finish(tasks.claim_next(stage), Outcome())
    assert tasks.ledger.count_unfinished("") == 0
    # once the crawl goes on, its own task joins what has run since
    assert tasks.ledger.resume(cancelled)
    claim = tasks.claim_next(Stage.LINK)
    assert claim.key == "y"
    assert claim.crawls == (cancelled,)


def test_a_cancelled_crawl_keeps_its_failures_until_it_is_resumed(tasks: Tasks) -> None:
    crawl = tasks.ledger.open_crawl(("x",), (make_task("a"), make_task("b")))
    assert tasks.ledger.fail(tasks.claim_next(), "no", "why")
    tasks.ledger.cancel(crawl)
    assert tasks.ledger.retry() == 0
    assert [failure.code for failure in tasks.ledger.failures()] == ["no"]
    assert tasks.ledger.resume(crawl)
    assert tasks.ledger.retry() == 1
    assert {tasks.claim_next().key, tasks.claim_next().key} == {"a", "b"}


RUN = make_task("run", Stage.VALIDATE_CPU, queue="validate.cpu")
RUN_ON_GPU = make_task("gpu", Stage.VALIDATE_DEVICE, queue="validate.cuda.sm_90")


def link_commit(tasks: Tasks) -> None:
    """Finish the one ready task, which spawns runs of its kernels."""
    claim = tasks.claim_next(Stage.LINK)
    assert tasks.ledger.finish(claim, Outcome(children=(RUN, RUN_ON_GPU)))


def test_a_crawl_runs_kernels_where_it_is_asked_to_and_nowhere_else(
    tasks: Tasks,
) -> None:
    link = make_task("link", Stage.LINK)
    crawl = tasks.ledger.open_crawl(("x",), (link,), ())
    link_commit(tasks)
    assert tasks.ledger.count_unfinished(crawl) == 0
    assert tasks.ledger.claim("me", tuple(Stage), 60) is None

    # the first crawl spawned the runs, and only this one wants them
    second = tasks.ledger.open_crawl(("x",), (link,), ("validate.cpu",))
    assert tasks.ledger.run_queues((crawl, second)) == ("validate.cpu",)
    assert tasks.claim_next().key == "run"
    assert tasks.ledger.claim("me", tuple(Stage), 60) is None
    assert tasks.ledger.count_unfinished(crawl) == 0


def test_a_crawl_that_says_nothing_of_runs_has_all_of_them(tasks: Tasks) -> None:
    link = make_task("link", Stage.LINK)
    crawl = tasks.ledger.open_crawl(("x",), (link,))
    link_commit(tasks)
    assert tasks.ledger.run_queues((crawl,)) == ()
    assert {tasks.claim_next().key, tasks.claim_next().key} == {"run", "gpu"}


def test_a_cancelled_run_stays_so_for_a_crawl_that_runs_nothing(tasks: Tasks) -> None:
    link = make_task("link", Stage.LINK)
    crawl = tasks.ledger.open_crawl(("x",), (link,))
    link_commit(tasks)
    assert tasks.ledger.cancel(crawl) == 2
    tasks.ledger.open_crawl(("x",), (link,), ())
    assert tasks.ledger.claim("me", tuple(Stage), 60) is None
