"""Accounts share the window in turns, within what a server and an account may have."""

from __future__ import annotations

from collections import Counter

import pytest

from storage.ledger.dispatch.dispatch_selection import DispatchLimits
from storage.ledger.dispatch.dispatch_window import DispatchMessage
from storage.ledger.interface import Lane
from tests.unit.storage.ledger.conftest import Tasks, make_task

LANE = Lane("q")


def take_messages(
    tasks: Tasks, limits: DispatchLimits, lost_after: float = 60.0
) -> tuple[DispatchMessage, ...]:
    return tasks.window.take_due_messages({LANE: lost_after}, limits)


def claim_keys(tasks: Tasks, messages: tuple[DispatchMessage, ...]) -> list[str]:
    claims = [
        tasks.ledger.claim_dispatched("me", message.task, message.generation, 60)
        for message in messages
    ]
    return [claim.key for claim in claims if claim]


def open_accounts(tasks: Tasks, **task_counts: int) -> None:
    specs = [
        make_task(f"{account}{number}", account=account, host=f"{account}.example")
        for account, count in task_counts.items()
        for number in range(count)
    ]
    tasks.ledger.open_crawl(("x",), tuple(specs))


def test_accounts_take_turns_and_equals_go_by_name(tasks: Tasks) -> None:
    open_accounts(tasks, b=3, a=3, c=1)
    messages = take_messages(tasks, DispatchLimits(messages_per_lane=6))
    keys = claim_keys(tasks, messages)
    assert keys == ["a0", "b0", "c0", "a1", "b1", "a2"]


def test_the_window_is_never_larger_than_its_limit(tasks: Tasks) -> None:
    open_accounts(tasks, a=5)
    limits = DispatchLimits(messages_per_lane=2)
    assert len(take_messages(tasks, limits)) == 2
    assert take_messages(tasks, limits) == ()
    assert tasks.window.count_outstanding() == {LANE: 2}


def test_a_claimed_message_gives_its_place_to_the_next(tasks: Tasks) -> None:
    open_accounts(tasks, a=3)
    limits = DispatchLimits(messages_per_lane=1)
    assert claim_keys(tasks, take_messages(tasks, limits)) == ["a0"]
    assert claim_keys(tasks, take_messages(tasks, limits)) == ["a1"]


@pytest.mark.parametrize("name", ["tasks_per_account", "tasks_per_host"])
def test_running_tasks_count_against_the_limit_of_their_account_and_host(
    tasks: Tasks, name: str
) -> None:
    open_accounts(tasks, a=5, b=1)
    limits = DispatchLimits(**{name: 2})
    keys = claim_keys(tasks, take_messages(tasks, limits))
    assert Counter(key[0] for key in keys) == {"a": 2, "b": 1}
    # both of `a` run now, and are in flight still
    assert take_messages(tasks, limits) == ()


def test_tasks_without_a_host_know_no_limit_of_one(tasks: Tasks) -> None:
    specs = tuple(make_task(str(number)) for number in range(4))
    tasks.ledger.open_crawl(("x",), specs)
    assert len(take_messages(tasks, DispatchLimits(tasks_per_host=1))) == 4


def test_an_account_with_work_in_flight_waits_for_the_others(tasks: Tasks) -> None:
    open_accounts(tasks, a=4)
    claim_keys(tasks, take_messages(tasks, DispatchLimits(messages_per_lane=2)))
    specs = tuple(make_task(f"b{number}", account="b") for number in range(3))
    tasks.ledger.open_crawl(("y",), specs)
    messages = take_messages(tasks, DispatchLimits(messages_per_lane=3))
    assert claim_keys(tasks, messages) == ["b0", "b1", "a2"]


def test_a_message_is_lost_at_the_second_that_was_named(tasks: Tasks) -> None:
    open_accounts(tasks, a=1)
    limits = DispatchLimits()
    (message,) = take_messages(tasks, limits)
    tasks.clock.now += 59
    assert take_messages(tasks, limits) == ()
    tasks.clock.now += 1
    assert take_messages(tasks, limits) == (message,)


def test_urgent_tasks_of_an_account_go_first(tasks: Tasks) -> None:
    specs = (
        make_task("late", account="a"),
        make_task("urgent", account="a", priority=5),
        make_task("later", account="a"),
    )
    tasks.ledger.open_crawl(("x",), specs)
    messages = take_messages(tasks, DispatchLimits())
    assert claim_keys(tasks, messages) == ["urgent", "late", "later"]


def test_messages_of_another_lane_take_no_place_in_this_one(tasks: Tasks) -> None:
    specs = (
        make_task("a"),
        make_task("b", queue="other"),
        make_task("c", revision="2"),
    )
    tasks.ledger.open_crawl(("x",), specs)
    limits = DispatchLimits(messages_per_lane=1)
    lanes = {Lane("other"): 60.0, Lane("q", "2"): 60.0}
    assert len(tasks.window.take_due_messages(lanes, limits)) == 2
    assert claim_keys(tasks, take_messages(tasks, limits)) == ["a"]
