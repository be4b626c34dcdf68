"""Messages to a cluster come within a window, in fair shares, and once for each task."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from storage.ledger.interface import Lane, Outcome, Stage
from tests.contract.ledger.cluster_tasks import claim_task, due, task, window

if TYPE_CHECKING:
    from tests.contract.conftest import World


def test_a_message_claims_its_task_once(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"),))
    (message,) = due(world)
    claim = claim_task(world, message)
    assert (claim.key, claim.attempt, claim.generation) == (
        "a",
        1,
        message.generation + 1,
    )
    assert (
        world.ledger.claim_dispatched("me", message.task, message.generation, 60)
        is None
    )
    assert world.ledger.finish(claim, Outcome())
    assert (
        world.ledger.claim_dispatched("me", message.task, message.generation, 60)
        is None
    )
    assert due(world) == []


def test_few_messages_are_out_at_once(world: World) -> None:
    world.ledger.open_crawl(("x",), tuple(task(str(number)) for number in range(10)))
    first = due(world, messages_per_lane=3)
    assert len(first) == 3
    assert due(world, messages_per_lane=3) == []
    claim_task(world, first[0])
    assert len(due(world, messages_per_lane=3)) == 1
    assert window(world).count_outstanding() == {Lane("clone"): 3}


def test_a_lost_message_is_sent_again_and_takes_nobody_s_place(world: World) -> None:
    world.ledger.open_crawl(("x",), tuple(task(str(number)) for number in range(5)))
    first = due(world, messages_per_lane=2)
    world.now += 9
    assert due(world, messages_per_lane=2) == []
    world.now += 1
    assert due(world, messages_per_lane=2) == first
    claim_task(world, first[0])


def test_what_is_given_back_is_told_of_under_another_generation(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"),))
    (first,) = due(world)
    assert world.ledger.fail(
        claim_task(world, first), "network-down", "later", retry_in=30
    )
    assert due(world) == []
    world.now += 30
    (second,) = due(world)
    assert second.generation > first.generation
    assert world.ledger.claim_dispatched("me", first.task, first.generation, 60) is None
    claim_task(world, second)


def test_a_message_that_comes_early_claims_nothing(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"),))
    (first,) = due(world)
    assert world.ledger.fail(
        claim_task(world, first), "network-down", "later", retry_in=30
    )
    assert (
        world.ledger.claim_dispatched("me", first.task, first.generation + 1, 60)
        is None
    )


def test_only_asked_queues_are_fed(world: World) -> None:
    world.ledger.open_crawl(("x",), (task("a"), task("b", Stage.PORT)))
    assert [message.lane.queue for message in due(world, "port")] == ["port"]
    assert due(world, "link") == []


def test_a_large_account_does_not_starve_a_small_one(world: World) -> None:
    for account, number in (("large", 5000), ("small", 3)):
        world.ledger.open_crawl(
            (account,),
            tuple(task(f"{account} {n}", account=account) for n in range(number)),
        )
    first = [claim_task(world, message) for message in due(world, messages_per_lane=8)]
    assert Counter(claim.key.split()[0] for claim in first) == {"large": 5, "small": 3}
    # the large one has much with the workers: what comes new of others goes before it
    world.ledger.open_crawl(
        ("new",), tuple(task(f"new {n}", account="new") for n in range(4))
    )
    second = [claim_task(world, message) for message in due(world, messages_per_lane=5)]
    assert Counter(claim.key.split()[0] for claim in second) == {"new": 4, "large": 1}


def test_children_are_on_the_account_of_who_asked(world: World) -> None:
    world.ledger.open_crawl(("github:ROCm",), (task("github:ROCm", Stage.LIST),))
    claim = world.ledger.claim("me", (Stage.LIST,), 60)
    assert claim
    world.ledger.finish(
        claim, Outcome(children=(task("a"),), continuation=task("b", Stage.LINK))
    )
    assert {account for (account,) in world.rows("SELECT account FROM task")} == {
        "github:ROCm"
    }


def test_a_server_and_an_account_get_no_more_than_they_may(world: World) -> None:
    specs = [task(str(number), account="one", host="forge") for number in range(5)]
    world.ledger.open_crawl(
        ("x",), (*specs, *(task(f"two {number}", account="two") for number in range(5)))
    )
    messages = due(world, tasks_per_host=2, tasks_per_account=3)
    assert Counter(
        claim_task(world, message).key.split()[0] == "two" for message in messages
    ) == {False: 2, True: 3}
    assert due(world, tasks_per_host=2, tasks_per_account=3) == []


def test_what_is_paused_holds_no_place_in_the_window(world: World) -> None:
    first = world.ledger.open_crawl(
        ("first",), tuple(task(str(number)) for number in range(4))
    )
    assert len(due(world, messages_per_lane=4)) == 4
    world.ledger.open_crawl(("second",), (task("late"),))
    assert due(world, messages_per_lane=4) == []
    assert world.ledger.pause(first)
    assert len(due(world, messages_per_lane=4)) == 1
