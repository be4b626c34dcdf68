from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import BadCredentials, RateLimited
from crawler.sources.github_api.rate_limits import Budget, BudgetPool
from crawler.sources.options import InMemoryAnswers

DATE = "Thu, 01 Jan 1970 00:16:40 GMT"
"""1,000 seconds after the epoch."""


@dataclass
class Clock:
    now: float = 5000.0

    def __call__(self) -> float:
        return self.now


def make_pool(
    *budgets: Budget, memory: InMemoryAnswers | None = None
) -> tuple[BudgetPool, Clock]:
    clock = Clock()
    pool = BudgetPool(budgets, memory or InMemoryAnswers(), "example.org", clock)
    return pool, clock


def test_the_budget_with_the_most_requests_is_chosen() -> None:
    poor, rich = Budget(owner="poor", remaining=3), Budget(owner="rich", remaining=9)
    pool, _ = make_pool(poor, rich)
    assert pool.choose() is rich


def test_a_spent_budget_waits_by_the_servers_clock() -> None:
    budget = Budget(owner="a")
    pool, clock = make_pool(budget)
    headers = {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1030",
        "date": DATE,
    }
    pool.charge(budget, headers)
    with pytest.raises(RateLimited, match="wait 30 s") as caught:
        pool.choose()
    assert caught.value.retry_after == 30
    clock.now += 30
    assert pool.choose() is budget


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-ratelimit-remaining": "0"},
        {"x-ratelimit-remaining": "none", "x-ratelimit-reset": "1030"},
        {"x-ratelimit-remaining": "-1", "x-ratelimit-reset": "9" * 20},
    ],
)
def test_headers_that_say_nothing_change_nothing(headers: dict[str, str]) -> None:
    budget = Budget(owner="a", remaining=7)
    pool, _ = make_pool(budget)
    pool.charge(budget, headers)
    assert budget.remaining == 7
    assert pool.choose() is budget


def test_a_pause_is_remembered_for_a_later_run_of_the_same_owner() -> None:
    memory = InMemoryAnswers()
    budget = Budget(owner="a")
    pool, _ = make_pool(budget, memory=memory)
    pool.pause(budget, {"retry-after": "90"})
    later_pool, _ = make_pool(Budget(owner="a"), memory=memory)
    with pytest.raises(RateLimited) as caught:
        later_pool.choose()
    assert caught.value.retry_after == 90
    other_pool, _ = make_pool(Budget(owner="b"), memory=memory)
    assert other_pool.choose().owner == "b"


def test_a_refusal_without_a_time_pauses_for_a_minute() -> None:
    budget = Budget(owner="a")
    pool, clock = make_pool(budget)
    pool.pause(budget, {})
    assert budget.available_at(clock.now) == clock.now + 60


@given(st.integers(0, 10**12 - 1))
def test_no_server_is_believed_for_more_than_two_hours(seconds: int) -> None:
    budget = Budget(owner="a")
    pool, clock = make_pool(budget)
    pool.pause(budget, {"retry-after": str(seconds)})
    assert budget.available_at(clock.now) <= clock.now + 7200
    headers = {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": str(seconds),
        "date": DATE,
    }
    pool.charge(budget, headers)
    assert clock.now <= budget.available_at(clock.now) <= clock.now + 7200


def test_a_refused_token_is_not_used_again() -> None:
    first, second = Budget(owner="a", remaining=9), Budget(owner="b", remaining=1)
    pool, _ = make_pool(first, second)
    pool.drop(first)
    assert pool.choose() is second
    pool.drop(second)
    with pytest.raises(BadCredentials, match="renew those"):
        pool.choose()


def test_a_budget_prints_no_token() -> None:
    budget = Budget(owner="", token=lambda: "secret", remaining=5)
    assert repr(budget) == "Budget(anonymous, remaining=5)"
