"""What every ledger does for those who ask, claim and finish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.ledger.interface import Outcome, Stage, State
from tests.contract.ledger.ledger_tasks import (
    ALL,
    HERE,
    MINE,
    claim_task,
    finish_with_children,
    states,
    task,
)

if TYPE_CHECKING:
    from tests.contract.conftest import World


def test_the_same_question_is_the_same_crawl(world: World) -> None:
    first = world.ledger.open_crawl(HERE, (task("a"),))
    assert world.ledger.open_crawl(HERE, (task("a", version="2"),)) == first
    assert world.ledger.open_crawl(HERE, (task("b"),)) != first
    assert world.ledger.open_crawl(("pypi:other",), (task("a"),)) != first


def test_a_claim_tells_what_to_do_and_for_whom(world: World) -> None:
    crawls = sorted(
        world.ledger.open_crawl((name,), (task("a"),)) for name in ("one", "two")
    )
    claim = claim_task(world.ledger)
    assert (claim.stage, claim.key, claim.payload, claim.subject) == (
        Stage.LIST,
        "a",
        '"a"',
        "of a",
    )
    assert (claim.attempt, claim.crawls) == (1, tuple(crawls))
    assert world.ledger.claim(MINE, ALL, 60) is None


def test_what_is_urgent_goes_first_and_among_equals_what_is_older(world: World) -> None:
    specs = (
        task("b"),
        task("a"),
        task("z", Stage.CLONE, priority=2),
        task("y", priority=1),
    )
    world.ledger.open_crawl(HERE, specs)
    assert [claim_task(world.ledger).key for _ in specs] == ["z", "y", "b", "a"]


def test_a_claim_is_of_the_stages_and_the_crawl_asked_for(world: World) -> None:
    crawl = world.ledger.open_crawl(HERE, (task("a"), task("b", Stage.CLONE)))
    other = world.ledger.open_crawl(("other",), (task("c"),))
    assert world.ledger.claim(MINE, (), 60) is None
    assert world.ledger.claim(MINE, (Stage.PORT,), 60) is None
    assert claim_task(world.ledger, Stage.CLONE).key == "b"
    assert claim_task(world.ledger, crawl=other).key == "c"
    assert world.ledger.claim(MINE, ALL, 60, other) is None
    assert claim_task(world.ledger, crawl=crawl).key == "a"


def test_a_join_runs_after_the_last_child_however_that_ended(world: World) -> None:
    finish_with_children(world, "x", "y", "z")
    for key, end in (("x", "done"), ("y", "rejected"), ("z", "failed")):
        assert world.ledger.claim(MINE, (Stage.LINK,), 60) is None
        claim = claim_task(world.ledger, Stage.EXTRACT)
        assert claim.key == key
        if end == "done":
            world.ledger.finish(claim, Outcome(result="1"))
        else:
            world.ledger.fail(claim, "no", "why", rejected=end == "rejected")
    join = claim_task(world.ledger, Stage.LINK)
    assert world.ledger.children_results(join) == (('"x"', "1"),)


def test_a_join_without_children_runs_at_once(world: World) -> None:
    finish_with_children(world)
    assert claim_task(world.ledger).key == "join"


def test_a_task_asked_for_twice_is_one_and_serves_both(world: World) -> None:
    crawls = set()
    for name in ("one", "two"):
        crawls.add(world.ledger.open_crawl((name,), (task(name),)))
        world.ledger.finish(
            claim_task(world.ledger, Stage.LIST),
            Outcome(children=(task("shared", Stage.CLONE),)),
        )
    claim = claim_task(world.ledger)
    assert (claim.key, set(claim.crawls)) == ("shared", crawls)
    world.ledger.finish(claim, Outcome(children=(task("below", Stage.EXTRACT),)))
    assert set(claim_task(world.ledger).crawls) == crawls


def test_a_later_crawl_gets_all_that_came_of_its_tasks(world: World) -> None:
    finish_with_children(world, "x")
    later = world.ledger.open_crawl(("later",), (task("root"),))
    assert world.ledger.count_unfinished(later) == 2
    assert claim_task(world.ledger, crawl=later).key == "x"


def test_a_join_that_is_done_stays_so_for_the_same_children_only(world: World) -> None:
    finish_with_children(world, "x")
    world.ledger.finish(claim_task(world.ledger), Outcome())
    world.ledger.finish(claim_task(world.ledger), Outcome())
    for name, keys, state in (
        ("same", ("x",), "done"),
        ("more", ("x", "y"), "waiting"),
    ):
        world.ledger.open_crawl((name,), (task(name),))
        children = tuple(task(key, Stage.EXTRACT) for key in keys)
        world.ledger.finish(
            claim_task(world.ledger, Stage.LIST),
            Outcome(children=children, continuation=task("join", Stage.LINK)),
        )
        assert states(world)["join"] == state


def test_a_lease_is_kept_until_it_runs_out(world: World) -> None:
    world.ledger.open_crawl(HERE, (task("a"),))
    claim = claim_task(world.ledger)
    world.now += 50
    assert world.ledger.extend_lease(claim, 60)
    world.now += 50
    assert world.ledger.reclaim() == 0
    world.now += 10
    assert world.ledger.reclaim() == 1
    assert not world.ledger.extend_lease(claim, 60)
    assert claim_task(world.ledger).generation > claim.generation


@pytest.mark.parametrize(
    "state", ["reclaimed", "claimed again", "done by another", "retried"]
)
def test_who_lost_a_task_changes_nothing(world: World, state: str) -> None:
    world.ledger.open_crawl(HERE, (task("a"),))
    stale = claim_task(world.ledger, owner="slow")
    world.now += 60
    assert world.ledger.reclaim() == 1
    if state != "reclaimed":
        fresh = claim_task(world.ledger)
        if state == "done by another":
            world.ledger.finish(fresh, Outcome(result="right"))
        if state == "retried":
            world.ledger.fail(fresh, "no", "why")
            world.ledger.retry()
    before = world.everything()
    child = Outcome(
        children=(task("wrong", Stage.CLONE),),
        continuation=task("wrong", Stage.LINK),
        result="wrong",
    )
    assert not world.ledger.finish(stale, child)
    assert not world.ledger.fail(stale, "wrong", "wrong")
    assert not world.ledger.fail(stale, "wrong", "wrong", retry_in=1)
    assert not world.ledger.extend_lease(stale, 1000)
    assert world.everything() == before


def test_what_is_put_back_waits_its_time_and_counts_its_attempts(world: World) -> None:
    world.ledger.open_crawl(HERE, (task("a"),))
    assert world.ledger.fail(
        claim_task(world.ledger), "network-down", "later", retry_in=30
    )
    assert world.ledger.claim(MINE, ALL, 60) is None
    assert world.ledger.failures() == ()
    world.now += 30
    assert claim_task(world.ledger).attempt == 2


def test_what_older_versions_asked_for_is_no_longer_part_of_the_crawl(
    world: World,
) -> None:
    crawl = world.ledger.open_crawl(HERE, (task("root"),))
    world.ledger.finish(
        claim_task(world.ledger),
        Outcome(children=(task("a", Stage.CLONE), task("b", Stage.CLONE))),
    )
    world.ledger.fail(claim_task(world.ledger), "internal", "an old bug")
    assert world.ledger.open_crawl(HERE, (task("root", version="2"),)) == crawl
    for scope in (crawl, ""):
        assert world.ledger.task_counts(scope) == ((Stage.LIST, State.READY, "", 1),)
        assert world.ledger.failures(scope) == ()
        assert world.ledger.count_unfinished(scope) == 1
        assert world.ledger.retry(crawl=scope) == 0
    root = claim_task(world.ledger)
    assert world.ledger.finish(
        root, Outcome(children=(task("a", Stage.CLONE, version="2"),))
    )
    world.ledger.finish(claim_task(world.ledger), Outcome())
    assert world.ledger.claim(MINE, ALL, 60) is None, "old work is done by nobody"
    assert [row[1:] for row in world.ledger.task_counts(crawl)] == [
        (State.DONE, "", 1)
    ] * 2


def test_what_another_crawl_still_asks_for_stays_part_of_that_one(world: World) -> None:
    old, other = (task("root"), task("shared")), (task("shared"),)
    world.ledger.open_crawl(HERE, old)
    crawl = world.ledger.open_crawl(("other",), other)
    mine = world.ledger.open_crawl(
        HERE, tuple(task(spec.key, version="2") for spec in old)
    )
    assert (
        world.ledger.count_unfinished(crawl),
        world.ledger.count_unfinished(mine),
        world.ledger.count_unfinished(""),
    ) == (1, 2, 3)
    world.ledger.open_crawl(HERE, old)
    assert world.ledger.count_unfinished(mine) == 2, (
        "an older version takes its own up again"
    )
