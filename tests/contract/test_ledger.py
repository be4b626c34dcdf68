"""What every ledger does for those who ask, claim, finish and die."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.ledger.interface import Claim, Ledger, Outcome, Stage, State, TaskSpec
from storage.ledger.reclaim import MAX_INTERRUPTIONS

if TYPE_CHECKING:
    from tests.contract.conftest import World

ALL = tuple(Stage)
MINE = "me"
HERE = ("pypi:mmcv",)


def task(
    key: str, stage: Stage = Stage.LIST, *, version: str = "1", priority: int = 0
) -> TaskSpec:
    return TaskSpec(
        stage=stage,
        key=key,
        version=version,
        queue="q",
        payload=f'"{key}"',
        subject=f"of {key}",
        priority=priority,
    )


def claim_task(
    ledger: Ledger, *stages: Stage, owner: str = MINE, crawl: str = ""
) -> Claim:
    claim = ledger.claim(owner, stages or ALL, 60, crawl)
    assert claim is not None
    return claim


def finish_with_children(world: World, *keys: str) -> Claim:
    """Finish a root with extract tasks of `keys` and a link after them; return the root's claim."""
    world.ledger.open_crawl(HERE, (task("root"),))
    root = claim_task(world.ledger, Stage.LIST)
    children = tuple(task(key, Stage.EXTRACT) for key in keys)
    assert world.ledger.finish(
        root, Outcome(children=children, continuation=task("join", Stage.LINK))
    )
    return root


def states(world: World) -> dict[str, str]:
    return {
        str(key): str(state) for key, state in world.rows("SELECT key, state FROM task")
    }


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
        assert world.opened().reclaim() == 1
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
