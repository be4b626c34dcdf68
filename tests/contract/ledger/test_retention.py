"""Old crawls go with the tasks that only they have, and nothing that anybody still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.access.sql_request_book import SqlRequestBook
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.ledger.quotas.quota import NO_USE
from storage.ledger.quotas.sql_quotas import SqlQuotas
from storage.maintenance.retention import ExpiryResult, expire, preview_expiry
from tests.contract.ledger.cluster_tasks import ALL, task

if TYPE_CHECKING:
    from tests.contract.conftest import World

DAY = 86400.0


def work(world: World, crawl: str, outcomes: dict[str, Outcome] | None = None) -> None:
    """End all that can be claimed of a crawl, as `outcomes` say for their keys."""
    while claim := world.ledger.claim("me", ALL, 60, crawl):
        outcome = (outcomes or {}).get(claim.key, Outcome())
        assert world.ledger.finish(claim, outcome)


def ask(world: World, name: str, *specs: TaskSpec) -> str:
    return world.ledger.open_crawl((name,), specs, asked_by="ada")


def keys(world: World) -> set[str]:
    return {key for (key,) in world.rows("SELECT key FROM task")}


def names(world: World) -> set[str]:
    return {locator for each in world.ledger.crawls() for locator in each.locators}


def chain(*, then: str = "") -> dict[str, Outcome]:
    """A listing that leads to a clone, that to a parse, and `then` to what follows both."""
    last = task(then, Stage.LINK) if then else None
    return {
        "list": Outcome(children=(task("clone"),)),
        "clone": Outcome(children=(task("parse", Stage.EXTRACT),), continuation=last),
    }


def test_what_ended_long_ago_goes_and_what_ended_lately_stays(world: World) -> None:
    old = ask(world, "old", task("list", Stage.LIST))
    work(world, old, chain(then="link"))
    world.now += 10 * DAY
    work(world, ask(world, "new", task("new")))
    before = world.now - 9 * DAY

    everything = world.everything()
    preview = preview_expiry(world.engine, before)
    assert (preview.crawls, preview.tasks) == (1, 4)
    assert world.everything() == everything

    assert expire(world.engine, before) == ExpiryResult(crawls=1, tasks=4, requests=0)
    assert names(world) == {"new"}
    assert keys(world) == {"new"}
    assert expire(world.engine, before) == ExpiryResult(crawls=0, tasks=0, requests=0)


@pytest.mark.parametrize("state", ["left", "paused", "ended lately"])
def test_a_crawl_with_something_to_do_or_just_done_stays(
    world: World, state: str
) -> None:
    crawl = ask(world, "x", task("a"), task("b"))
    claim = world.ledger.claim("me", ALL, 60 * DAY, crawl)
    assert claim
    world.ledger.finish(claim, Outcome())
    if state == "paused":
        world.ledger.pause(crawl)
    world.now += 30 * DAY
    if state == "ended lately":
        work(world, crawl)

    everything = world.everything()
    assert expire(world.engine, world.now - DAY).crawls == 0
    assert world.everything() == everything


def test_a_cancelled_crawl_goes(world: World) -> None:
    crawl = ask(world, "x", task("a"))
    world.ledger.cancel(crawl)
    assert expire(world.engine, world.now + 1).tasks == 1
    assert names(world) == set()


def test_what_a_newer_crawl_has_too_stays_whole(world: World) -> None:
    first = ask(world, "first", task("list", Stage.LIST))
    work(world, first, chain())
    world.now += 10 * DAY
    # asked anew under another key, it comes to the same clone
    second = ask(world, "second", task("list again", Stage.LIST))
    work(world, second, {"list again": Outcome(children=(task("clone"),))})

    assert expire(world.engine, world.now - DAY).tasks == 1
    assert keys(world) == {"list again", "clone", "parse"}
    # only what was asked for counts as asked for, as `refresh` does again
    assert world.ledger.root_payloads(Stage.LIST) == ("list again",)
    assert world.ledger.root_payloads(Stage.CLONE) == ()


def test_runs_that_a_later_crawl_may_want_stay_with_what_leads_to_them(
    world: World,
) -> None:
    runs = Outcome(children=(task("run", Stage.VALIDATE_CPU),))
    first = ask(world, "with runs", task("build"))
    work(world, first, {"build": runs})
    world.now += 10 * DAY
    plain = world.ledger.open_crawl(("plain",), (task("build"),), ())
    assert world.ledger.count_unfinished(plain) == 0
    world.now += 10 * DAY
    work(world, ask(world, "keeps it", task("build"), task("late")))

    expire(world.engine, world.now - DAY)
    # else a later crawl would take the run for done: what spawned it is
    assert keys(world) == {"build", "run", "late"}


def test_asked_for_again_what_went_is_done_again(world: World) -> None:
    first = ask(world, "x", task("list", Stage.LIST))
    work(world, first, chain(then="link"))
    world.now += DAY
    assert expire(world.engine, world.now).tasks == 4
    again = ask(world, "x", task("list", Stage.LIST))
    assert again == first
    work(world, again, chain(then="link"))
    assert keys(world) == {"list", "clone", "parse", "link"}


def test_who_asked_and_what_was_used_go_with_their_time(world: World) -> None:
    requests = SqlRequestBook(world.engine, lambda: world.now)
    quotas = SqlQuotas(world.engine, lambda: world.now)
    crawl = ask(world, "x", task("a"))
    requests.record("crawl", "ada", crawl=crawl)
    work(world, crawl)
    world.now += 10 * DAY
    requests.record("audit of now", "bob")

    # to the day: what was used on the day that is kept counts for its owner
    assert expire(world.engine, world.now - 10 * DAY + 1).requests == 1
    assert quotas.use_of_owner("ada", 30).tasks == 1
    expire(world.engine, world.now - 9 * DAY)
    assert quotas.use_of_owner("ada", 30) == NO_USE
    assert [each.asked_by for each in requests.requests()] == ["bob"]
