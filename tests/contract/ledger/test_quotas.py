"""Crawls are charged with what their tasks use, and held where they or their owner used too much."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from storage.ledger.interface import Claim, Outcome, Stage
from storage.ledger.quotas.quota import NO_USE, Quota, QuotaRules, Use
from storage.ledger.quotas.sql_quotas import SqlQuotas
from tests.contract.ledger.cluster_tasks import claim_task, due, task

if TYPE_CHECKING:
    from tests.contract.conftest import World

DAY = 86400.0
USE = Use(stored_bytes=5 << 30, cpu_seconds=2.5, gpu_seconds=1.0)


@pytest.fixture
def quotas(world: World) -> SqlQuotas:
    return SqlQuotas(world.engine, lambda: world.now)


def ask(world: World, name: str, number: int = 1, by: str = "ada") -> str:
    tasks = tuple(task(f"{name} {each}", account=name) for each in range(number))
    return world.ledger.open_crawl((name,), tasks, asked_by=by)


def claim_any(world: World, crawl: str) -> Claim:
    claim = world.ledger.claim("me", (Stage.CLONE,), 60, crawl)
    assert claim
    return claim


def finish_one(world: World, crawl: str, use: Use = USE) -> None:
    assert world.ledger.finish(claim_any(world, crawl), Outcome(), use)


def test_what_ends_and_what_is_put_back_is_charged(
    world: World, quotas: SqlQuotas
) -> None:
    crawl = ask(world, "a", 3)
    assert quotas.use_of_crawl(crawl) == NO_USE

    finish_one(world, crawl)
    outcome = Outcome(children=(task("child"),))
    assert world.ledger.finish(claim_any(world, crawl), outcome, USE)
    claim = claim_any(world, crawl)
    assert world.ledger.fail(claim, "network-down", "", retry_in=0.0, use=USE)

    expected = Use(tasks=2, stored_bytes=15 << 30, cpu_seconds=7.5, gpu_seconds=3.0)
    assert quotas.use_of_crawl(crawl) == expected
    assert quotas.use_of_owner("ada", 1) == expected
    assert quotas.use_of_owner("bob", 1) == NO_USE


def test_who_lost_a_task_charges_nobody(world: World, quotas: SqlQuotas) -> None:
    crawl = ask(world, "a")
    claim = claim_any(world, crawl)
    world.ledger.cancel(crawl)
    assert not world.ledger.finish(claim, Outcome(), USE)
    assert quotas.use_of_crawl(crawl) == NO_USE


def test_a_task_is_charged_to_each_crawl_that_wants_it(
    world: World, quotas: SqlQuotas
) -> None:
    first = ask(world, "a")
    second = world.ledger.open_crawl(
        ("a", "b"), (task("a 0", account="a"), task("b 0", account="b"))
    )
    finish_one(world, first)
    assert quotas.use_of_crawl(first) == quotas.use_of_crawl(second)
    assert quotas.use_of_crawl(second).cpu_seconds == USE.cpu_seconds


@pytest.mark.parametrize(
    ("name", "limit"),
    [("tasks", 1), ("stored_bytes", 1), ("cpu_seconds", 2), ("gpu_seconds", 1)],
)
def test_a_crawl_over_its_quota_is_held_and_no_other(
    world: World, quotas: SqlQuotas, name: str, limit: int
) -> None:
    greedy, modest = ask(world, "greedy", 5), ask(world, "modest", 2)
    rules = QuotaRules(of_a_crawl=Quota(**{name: limit}))
    sent = due(world)
    assert quotas.enforce(rules) == {}

    finish_one(world, greedy)
    changes = quotas.enforce(rules)
    assert list(changes) == [greedy]
    assert f"its crawl has used up {name} " in changes[greedy]
    assert quotas.enforce(rules) == {}
    assert world.ledger.crawl_state(greedy) == "over-quota"
    assert quotas.hold_reason(greedy) == changes[greedy]
    assert not quotas.hold_reason(modest)

    # neither a message that is out nor a look into the ledger gives one of its tasks
    claims = [
        world.ledger.claim_dispatched("me", each.task, each.generation, 60)
        for each in sent
    ]
    assert {claim.key.split()[0] for claim in claims if claim} == {"modest"}
    assert world.ledger.claim("me", tuple(Stage), 60, greedy) is None


def test_a_crawl_goes_on_once_its_quota_has_room(
    world: World, quotas: SqlQuotas
) -> None:
    crawl = ask(world, "a", 3)
    finish_one(world, crawl)
    assert quotas.enforce(QuotaRules(of_a_crawl=Quota(tasks=1)))
    assert due(world) == []

    assert quotas.enforce(QuotaRules(of_a_crawl=Quota(tasks=2))) == {crawl: ""}
    assert quotas.hold_reason(crawl) == ""
    assert len(due(world)) == 2
    finish_one(world, crawl)
    assert quotas.enforce(QuotaRules(of_a_crawl=Quota(tasks=2)))
    # without quotas nothing is held
    assert quotas.enforce(QuotaRules()) == {crawl: ""}


def test_an_owner_s_quota_holds_all_their_crawls_until_days_have_passed(
    world: World, quotas: SqlQuotas
) -> None:
    ada = [ask(world, "a", 3), ask(world, "b", 3)]
    bob = ask(world, "c", 3, by="bob")
    nobody = ask(world, "d", 3, by="")
    rules = QuotaRules(of_an_owner=Quota(cpu_seconds=4), owner_days=7)
    for crawl in (*ada, bob, nobody, nobody):
        finish_one(world, crawl)

    changes = quotas.enforce(rules)
    assert set(changes) == set(ada)
    assert "its owner has used up cpu_seconds 5 of 4" in changes[ada[0]]
    # what is asked for meanwhile waits, too
    late = ask(world, "late")
    assert set(quotas.enforce(rules)) == {late}

    world.now += 6 * DAY
    assert quotas.enforce(rules) == {}
    world.now += DAY
    assert quotas.enforce(rules) == dict.fromkeys((*ada, late), "")


def test_what_is_held_can_be_paused_cancelled_and_asked_for_again(
    world: World, quotas: SqlQuotas
) -> None:
    rules = QuotaRules(of_a_crawl=Quota(tasks=1))
    crawl = ask(world, "a", 3)
    finish_one(world, crawl)
    quotas.enforce(rules)
    assert world.ledger.pause(crawl)
    # its operator's word counts, whatever the quota
    assert quotas.enforce(rules) == quotas.enforce(QuotaRules()) == {}
    assert world.ledger.resume(crawl)
    assert list(quotas.enforce(rules)) == [crawl]
    assert ask(world, "a", 3, by="bob") == crawl
    assert list(quotas.enforce(rules)) == [crawl]
    assert world.ledger.cancel(crawl) == 2
    assert quotas.enforce(QuotaRules()) == {}
    # who asked first stays its owner
    assert [summary.asked_by for summary in world.ledger.crawls()] == ["ada"]


def test_a_crawl_of_many_locators_leaves_half_to_one_of_one(world: World) -> None:
    many = tuple(
        task(f"many {account} {number}", account=f"account {account}")
        for account in range(20)
        for number in range(10)
    )
    world.ledger.open_crawl(("many",), many)
    world.ledger.open_crawl(
        ("one",), tuple(task(f"one {number}", account="one") for number in range(50))
    )

    for _ in range(2):
        claims = [claim_task(world, each) for each in due(world, messages_per_lane=20)]
        assert Counter(claim.key.split()[0] for claim in claims) == {
            "many": 10,
            "one": 10,
        }
        # and of the large crawl each account has its turn
        accounts = {claim.key.split()[1] for claim in claims if "many" in claim.key}
        assert len(accounts) == 10


def test_a_worker_of_an_older_version_goes_on_and_charges_nobody(
    world: World, quotas: SqlQuotas
) -> None:
    # what version 0026 writes: it knows neither who asks nor what is used
    with world.engine.begin() as connection:
        connection.execute(
            text("INSERT INTO crawl (id, locators, created_at) VALUES ('old', '[]', 1)")
        )
    crawl = ask(world, "a", 2)
    claim = claim_any(world, crawl)
    finish = text("UPDATE task SET state = 'done', result = '' WHERE id = :task")
    if world.engine.dialect.name == "postgresql":
        finish = text(f"SELECT finish_task(:task, {claim.generation}, '', 1)")
    with world.engine.begin() as connection:
        connection.execute(finish, {"task": claim.id})

    assert quotas.use_of_crawl(crawl) == NO_USE
    assert world.ledger.count_unfinished(crawl) == 1
    # and one of this version beside it is charged
    finish_one(world, crawl)
    assert quotas.use_of_crawl(crawl).tasks == 1
    owners = {summary.id: summary.asked_by for summary in world.ledger.crawls()}
    assert owners == {"old": "", crawl: "ada"}
