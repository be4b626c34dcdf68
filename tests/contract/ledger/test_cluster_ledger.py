"""What a ledger does for a cluster: crawls held back or ended, deaths, and revisions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from storage.ledger.crawls.crawl_membership import find_unwanted
from storage.ledger.crawls.stranded_tasks import SqlStrandedTasks
from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.dispatch.worker_registry import SqlWorkerRegistry
from storage.ledger.interface import Lane, Outcome, Stage, State
from storage.ledger.leases import lease_owner
from tests.contract.ledger.cluster_tasks import ALL, claim_task, due, task, window

if TYPE_CHECKING:
    from tests.contract.conftest import World


def test_a_paused_crawl_waits_and_one_that_shares_a_task_does_not(world: World) -> None:
    crawl = world.ledger.open_crawl(("x",), (task("a"), task("b")))
    world.ledger.open_crawl(("y",), (task("b"),))
    messages = due(world)
    assert len(messages) == 2
    assert world.ledger.pause(crawl)
    assert not world.ledger.pause(crawl)
    claims = [
        world.ledger.claim_dispatched("me", message.task, message.generation, 60)
        for message in messages
    ]
    assert [claim.key for claim in claims if claim] == ["b"]
    assert world.ledger.claim("me", ALL, 60) is None
    world.now += 60
    assert due(world) == []
    assert world.ledger.resume(crawl)
    (message,) = due(world)
    assert claim_task(world, message).key == "a"
    assert not world.ledger.pause("nothing")


def test_a_cancelled_crawl_ends_but_for_what_others_want(world: World) -> None:
    crawl = world.ledger.open_crawl(("x",), (task("a"), task("b"), task("c")))
    world.ledger.open_crawl(("y",), (task("b"),))
    running = world.ledger.claim("me", ALL, 60)
    assert running
    assert world.ledger.cancel(crawl) == 2
    assert not world.ledger.finish(
        running, Outcome(children=(task("late", Stage.LINK),))
    )
    assert not world.ledger.extend_lease(running, 60)
    assert world.ledger.count_unfinished(crawl) == 1
    states = dict(world.rows("SELECT key, state FROM task"))
    assert states == {"a": "cancelled", "b": "ready", "c": "cancelled"}


def test_what_is_in_no_crawl_any_more_is_not_cancelled(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("root", Stage.LIST),))
    claim = world.ledger.claim("me", ALL, 60)
    assert claim
    assert world.ledger.finish(claim, Outcome(children=(task("a"), task("b"))))
    # an older version spawned them, and nobody counts them any more
    world.ledger.open_crawl(("x",), (task("root", Stage.LIST, version="2"),))
    cancelled = world.ledger.open_crawl(("y",), (task("b"),))
    assert world.ledger.cancel(cancelled) == 1
    numbers = dict(world.rows("SELECT key, id FROM task WHERE stage = 'clone'"))
    with world.engine.connect() as connection:
        assert find_unwanted(connection, numbers.values()) == [numbers["b"]]


@pytest.mark.parametrize("how", ["resumed", "asked for again", "asked for by another"])
def test_what_was_cancelled_goes_on_where_it_is_wanted(world: World, how: str) -> None:
    crawl = world.ledger.open_crawl(("x",), (task("root", Stage.LIST),))
    root = world.ledger.claim("me", ALL, 60)
    assert root
    world.ledger.finish(
        root,
        Outcome(children=(task("a"), task("b")), continuation=task("join", Stage.LINK)),
    )
    assert world.ledger.cancel(crawl) == 3
    if how == "resumed":
        assert world.ledger.resume(crawl)
    else:
        name = "x" if how == "asked for again" else "z"
        crawl = world.ledger.open_crawl((name,), (task("root", Stage.LIST),))
    keys = []
    while claim := world.ledger.claim("me", ALL, 60, crawl):
        keys.append(claim.key)
        assert world.ledger.finish(claim, Outcome())
    assert keys == ["a", "b", "join"]


def test_a_worker_that_dies_whole_is_hardly_the_task_s_fault(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"),))
    for number in range(5):
        owner = f"{number}"
        assert world.ledger.claim(owner, ALL, 60)
        world.dead.add(owner)
        world.whole.add(owner)
        assert world.ledger.reclaim() == 1
    assert world.rows("SELECT state, kills, interruptions FROM task") == [
        ("ready", 0, 5)
    ]


def test_what_we_end_ourselves_is_nobody_s_fault(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"),))
    for number in range(3):
        assert world.ledger.claim(f"{number}", ALL, 60)
        world.dead.add(f"{number}")
        assert world.ledger.reclaim(blameless=True) == 1
    assert world.rows("SELECT state, kills, interruptions FROM task") == [
        ("ready", 0, 0)
    ]


def test_a_worker_gives_back_what_its_processes_hold_before_it_ends_them(
    world: World,
) -> None:
    world.ledger.open_crawl(("x",), (task("a"), task("b")))
    mine, other = due(world)
    worker = os.getppid()
    claim = world.ledger.claim_dispatched(
        lease_owner.worker_process_owner(worker), mine.task, mine.generation, 60
    )
    claim_task(world, other)
    assert claim
    assert world.ledger.reclaim(blameless=True, ending_worker=os.getpid()) == 0
    assert world.ledger.reclaim(blameless=True, ending_worker=worker) == 1
    assert not world.ledger.finish(claim, Outcome())
    assert world.rows("SELECT kills, interruptions FROM task") == [(0, 0), (0, 0)]


def test_a_task_is_for_its_own_revision_or_for_anybody(world: World) -> None:
    old, new = {Stage.CLONE: "1.2"}, {Stage.CLONE: "1.3", Stage.PORT: "1.2"}
    world.ledger.open_crawl(("x",), (task("mine", revision="1.2"), task("anybody's")))
    (message,) = window(world).take_due_messages(
        {Lane("clone", "1.2"): 10}, DispatchLimits()
    )
    assert message.lane == Lane("clone", "1.2")
    assert (
        world.ledger.claim_dispatched("me", message.task, message.generation, 60, new)
        is None
    )
    claim = world.ledger.claim_dispatched(
        "me", message.task, message.generation, 60, old
    )
    assert claim
    assert claim.key == "mine"
    (message,) = due(world)
    assert world.ledger.claim_dispatched(
        "me", message.task, message.generation, 60, new
    )
    assert (
        window(world).take_due_messages({Lane("clone", "1.3"): 10}, DispatchLimits())
        == ()
    )


def test_a_queue_is_blocked_where_only_another_revision_serves_it(world: World) -> None:
    roster = SqlWorkerRegistry(world.engine, lambda: world.now)
    crawl = world.ledger.open_crawl(("x",), (task("a", revision="1.3"), task("b")))
    roster.record_heartbeat("one", ("clone",), 1, {"clone": "1.2"})
    assert roster.served_lanes() == {Lane("clone"), Lane("clone", "1.2")}
    assert roster.blocked_queues(crawl) == {"clone": 1}
    assert roster.blocked_queues(crawl, ("cl*",)) == {}
    roster.record_heartbeat("two", ("clone",), 1, {"clone": "1.3"})
    assert roster.blocked_queues(crawl) == {}


def test_a_queue_that_gets_workers_when_it_has_tasks_blocks_nothing(
    world: World,
) -> None:
    roster = SqlWorkerRegistry(world.engine, lambda: world.now)
    crawl = world.ledger.open_crawl(("x",), (task("a", Stage.PORT),))
    assert roster.is_crawl_blocked(crawl)
    assert not roster.is_crawl_blocked(crawl, ("extract", "po*"))


def test_a_crawl_of_another_revision_begins_anew(world: World) -> None:
    renewal, mine = (
        SqlStrandedTasks(world.engine, lambda: world.now),
        {Stage.CLONE: "1.3", Stage.PORT: "1.3"},
    )
    crawl = world.ledger.open_crawl(
        ("x",), (task("root", revision="1.2"), task("other", revision="1.2"))
    )
    claim = world.ledger.claim("old", (Stage.CLONE,), 60)
    assert claim
    world.ledger.finish(
        claim, Outcome(children=(task("below", Stage.PORT, revision="1.2"),))
    )
    assert renewal.ready_lanes() == (Lane("clone", "1.2"), Lane("port", "1.2"))
    assert renewal.stranded_crawls(Lane("clone", "1.2"), mine) == (crawl,)
    running = world.ledger.claim("old", (Stage.CLONE,), 60)
    assert running
    assert renewal.stranded_crawls(Lane("port", "1.2"), mine) == (), (
        "the older version is still at work"
    )
    world.ledger.finish(running, Outcome())
    roots = renewal.root_tasks(crawl)
    assert [root.key for root in roots] == ["root", "other"]
    renewal.restart_crawl(
        crawl, tuple(task(root.key, revision="1.3", version="2") for root in roots)
    )
    assert world.ledger.task_counts(crawl) == ((Stage.CLONE, State.READY, "", 2),)
    assert renewal.stranded_crawls(Lane("port", "1.2"), mine) == ()


def test_what_nothing_joins_is_taken_over_as_it_is(world: World) -> None:
    renewal = SqlStrandedTasks(world.engine, lambda: world.now)
    old = (
        task("a", revision="1", version="x"),
        task("a", revision="1", version="y"),
        task("b", revision="1"),
    )
    crawl = world.ledger.open_crawl(("x",), old)
    assert renewal.adopt(Lane("clone", "1"), "z", "2") == 2
    assert world.ledger.count_unfinished(crawl) == 2
    query = "SELECT key FROM task JOIN crawl_task ON task = id WHERE revision = '2' AND stage_version = 'z' ORDER BY key"
    assert world.rows(query) == [("a",), ("b",)]


def test_queues_that_nobody_serves_are_told(world: World) -> None:
    roster = SqlWorkerRegistry(world.engine, lambda: world.now)
    crawl = world.ledger.open_crawl(
        ("x",), (task("a"), task("b", Stage.PORT), task("c", Stage.PORT))
    )
    assert roster.blocked_queues() == {"clone": 1, "port": 2}
    roster.record_heartbeat("one", ("clone", "list"), 4)
    roster.record_heartbeat("two", ("clone",), 2)
    assert roster.processes_by_queue() == {"clone": 6, "list": 4}
    assert roster.blocked_queues(crawl) == {"port": 2}
    assert not roster.is_crawl_blocked(crawl)
    claim = world.ledger.claim("me", (Stage.CLONE,), 60)
    assert claim
    assert not roster.is_crawl_blocked(crawl)
    world.ledger.finish(claim, Outcome())
    assert roster.is_crawl_blocked(crawl)
    roster.record_heartbeat("three", ("port",), 1)
    assert not roster.is_crawl_blocked(crawl)
    roster.remove_worker("three")
    world.now += 61
    assert roster.live_workers() == ()
