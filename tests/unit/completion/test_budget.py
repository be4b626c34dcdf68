"""A run stops before a question that might pass its bound, and counts what was really spent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.completion.budget import Budget, BudgetSpent, Prices
from crawler.completion.chat import ChatAnswer, ChatMessage, ChatParameters, ChatRequest

REQUEST = ChatRequest(
    model="m",
    messages=(ChatMessage(role="user", content="é" * 50),),
    parameters=ChatParameters(max_tokens=100),
)
ANSWER = ChatAnswer(text="", tokens_in=30, tokens_out=20)
MOST = REQUEST.count_most_tokens()


def test_a_text_has_at_most_as_many_tokens_as_bytes() -> None:
    assert MOST == 100 + 2 * 16 + 100


def test_tokens_are_bounded() -> None:
    budget = Budget(tokens=MOST + 49, money=0, prices=Prices())
    budget.require(REQUEST)
    assert budget.spend(REQUEST, ANSWER) == 0
    with pytest.raises(BudgetSpent, match=f"50 of {MOST + 49} tokens"):
        budget.require(REQUEST)


def test_money_is_bounded() -> None:
    prices = Prices(input=1_000_000, output=10_000_000)
    most = 132 + 10 * 100
    budget = Budget(tokens=0, money=most + 229, prices=prices)
    budget.require(REQUEST)
    assert budget.spend(REQUEST, ANSWER) == 30 + 200
    with pytest.raises(BudgetSpent, match="raise `completion_money`"):
        budget.require(REQUEST)


def test_nothing_is_bounded_by_nought() -> None:
    budget = Budget(tokens=0, money=0, prices=Prices(input=1, output=1))
    for _ in range(3):
        budget.require(REQUEST)
        budget.spend(REQUEST, ANSWER)
    assert budget.spent_tokens == 150


def test_a_model_has_prices_of_its_own() -> None:
    dear = Prices(input=1_000_000, output=0)
    budget = Budget(
        tokens=0, money=131, prices=Prices(), prices_by_model={"dear": dear}
    )
    budget.require(REQUEST)
    assert budget.spend(REQUEST, ANSWER) == 0
    second = replace(REQUEST, model="dear")
    assert budget.spend(second, ANSWER) == 30
    assert budget.spent_money == 30
    with pytest.raises(BudgetSpent, match="may cost 132"):
        budget.require(second)
    budget.require(REQUEST)
