"""What every ledger does for tasks that fail, and for those whose workers die."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.ledger.interface import Outcome, Stage, State
from storage.ledger.leases.reclaim import MAX_INTERRUPTIONS
from tests.contract.ledger.ledger_tasks import (
    HERE,
    claim_task,
    finish_with_children,
    states,
    task,
)

if TYPE_CHECKING:
    from tests.contract.conftest import World


def test_failures_are_told_oldest_first_with_the_end_of_their_message(
    world: World,
) -> None:
    crawl = world.ledger.open_crawl(HERE, (task("a"), task("b"), task("c")))
    for code, rejected in (("late", False), ("early", True)):
        world.now -= 10
        world.ledger.fail(
            claim_task(world.ledger), code, "x" * 100_000 + code, rejected=rejected
        )
    early, late = world.ledger.failures(crawl)
    assert (early.code, early.state, early.subject, early.attempts) == (
        "early",
        State.REJECTED,
        "of b",
        1,
    )
    assert (late.code, late.state) == ("late", State.FAILED)
    assert late.message.endswith("xlate")
    assert len(late.message) < 20_000
    assert world.ledger.failures("another") == ()
    assert world.ledger.task_counts(crawl) == (
        (Stage.LIST, State.FAILED, "late", 1),
        (Stage.LIST, State.READY, "", 1),
        (Stage.LIST, State.REJECTED, "early", 1),
    )
    assert world.ledger.task_counts("another") == ()


def test_a_retry_runs_what_failed_and_what_joins_it_again(world: World) -> None:
    finish_with_children(world, "x", "y")
    world.ledger.fail(claim_task(world.ledger, Stage.EXTRACT), "no", "why")
    world.ledger.finish(claim_task(world.ledger, Stage.EXTRACT), Outcome(result="y"))
    join = claim_task(world.ledger, Stage.LINK)
    assert world.ledger.retry() == 1
    assert not world.ledger.finish(join, Outcome())
    again = claim_task(world.ledger)
    assert (again.key, again.attempt) == ("x", 1)
    assert states(world)["join"] == "waiting"
    world.ledger.finish(again, Outcome(result="x"))
    assert world.ledger.children_results(claim_task(world.ledger)) == (
        ('"x"', "x"),
        ('"y"', "y"),
    )


def test_a_retry_reaches_the_joins_of_joins(world: World) -> None:
    finish_with_children(world, "x")
    world.ledger.fail(claim_task(world.ledger), "no", "why")
    world.ledger.open_crawl(("other",), (task("above", Stage.CLONE),))
    above = Outcome(
        children=(task("join", Stage.LINK),), continuation=task("last", Stage.PORT)
    )
    world.ledger.finish(claim_task(world.ledger, Stage.CLONE), above)
    world.ledger.finish(claim_task(world.ledger), Outcome())
    assert states(world)["last"] == "ready"
    world.ledger.retry()
    assert (states(world)["join"], states(world)["last"]) == ("waiting", "waiting")
    assert [
        world.ledger.finish(claim_task(world.ledger), Outcome()) for _ in range(3)
    ] == [True] * 3
    assert world.ledger.count_unfinished("") == 0


def test_a_retry_may_be_narrowed(world: World) -> None:
    mine = world.ledger.open_crawl(HERE, (task("a"), task("b"), task("c")))
    other = world.ledger.open_crawl(("other",), (task("d"),))
    for code, rejected in (
        ("no", False),
        ("refused", True),
        ("lost", False),
        ("no", False),
    ):
        world.ledger.fail(claim_task(world.ledger), code, "", rejected=rejected)
    assert world.ledger.retry(crawl="another") == 0
    assert world.ledger.retry(crawl=other, code="lost") == 0
    assert world.ledger.retry(crawl=mine, code="refused") == 1
    assert world.ledger.retry(crawl=mine) == 2
    assert world.ledger.retry() == 1
    assert set(states(world).values()) == {"ready"}


def test_the_task_of_a_dead_process_is_given_back_at_once(world: World) -> None:
    world.ledger.open_crawl(HERE, (task("a"), task("b")))
    for owner in ("dying", "far"):
        claim_task(world.ledger, owner=owner)
    world.dead |= {"dying", "far"}
    assert world.ledger.reclaim() == 1
    assert states(world) == {"a": "ready", "b": "running"}


def test_a_task_that_kills_its_worker_twice_is_failed_and_frees_its_join(
    world: World,
) -> None:
    finish_with_children(world, "deadly")
    for owner in ("first", "second"):
        claim_task(world.ledger, owner=owner)
        world.dead.add(owner)
        assert world.ledger.reclaim() == 1
    (failure,) = world.ledger.failures()
    assert (failure.code, failure.state) == ("killed-its-worker", State.FAILED)
    assert claim_task(world.ledger).key == "join"


def test_whole_runs_that_die_are_hardly_the_task_s_fault(world: World) -> None:
    world.ledger.open_crawl(HERE, (task("a"),))
    for run in range(MAX_INTERRUPTIONS):
        assert states(world) == {"a": "ready"}
        claim_task(world.ledger, owner=f"run {run}")
        world.dead.add(f"run {run}")
        world.now += 1
        assert world.open_ledger().reclaim() == 1
    assert states(world) == {"a": "failed"}


def test_a_slow_worker_that_lives_is_fenced_and_not_blamed(world: World) -> None:
    world.ledger.open_crawl(HERE, (task("a"),))
    for _ in range(5):
        claim_task(world.ledger)
        world.now += 61
        assert world.ledger.reclaim() == 1
    assert world.rows("SELECT state, kills, interruptions FROM task") == [
        ("ready", 0, 0)
    ]
