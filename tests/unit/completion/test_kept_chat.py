"""A question is asked and paid for once, and its answer is kept before anybody reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.completion.budget import Budget, BudgetSpent, Prices
from crawler.completion.chat import ChatAnswer, ChatMessage, ChatParameters, ChatRequest
from crawler.completion.kept_chat import KeptChat
from storage.open import open_storage

REQUEST = ChatRequest(
    model="m",
    messages=(ChatMessage(role="user", content="why"),),
    parameters=ChatParameters(max_tokens=10),
)


class Model:
    """Answers with the number of the question."""

    asked = 0

    def ask(self, request: ChatRequest) -> ChatAnswer:
        self.asked += 1
        return ChatAnswer(text=str(self.asked), tokens_in=2, tokens_out=3)


def test_an_answer_of_an_earlier_run_costs_nothing(tmp_path: Path) -> None:
    prices = Prices(input=1_000_000, output=1_000_000)
    model = Model()
    with open_storage(tmp_path) as storage:
        first = KeptChat(
            model, Budget(tokens=0, money=0, prices=prices), storage.attempts
        )
        kept_answer = first.ask(REQUEST, "u")
        assert (kept_answer.answer.text, kept_answer.cost) == ("1", 5)

        # a budget that could not pay for it
        budget = Budget(tokens=1, money=0, prices=prices)
        second = KeptChat(model, budget, storage.attempts)
        assert second.ask(REQUEST, "u") == kept_answer
        assert (second.asked, second.reused, budget.spent_tokens) == (0, 1, 0)
        assert model.asked == 1


def test_a_question_that_might_cost_too_much_is_not_asked(tmp_path: Path) -> None:
    model = Model()
    with open_storage(tmp_path) as storage:
        budget = Budget(tokens=1, money=0, prices=Prices())
        with pytest.raises(BudgetSpent):
            KeptChat(model, budget, storage.attempts).ask(REQUEST, "u")
    assert model.asked == 0
