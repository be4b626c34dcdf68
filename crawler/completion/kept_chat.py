"""Ask each question once: an answer that is kept costs nothing more, and a new one its price."""

from __future__ import annotations

from typing import Protocol

from crawler.completion.attempt_book import AttemptBook
from crawler.completion.budget import Budget
from crawler.completion.chat import ChatAnswer, ChatRequest, KeptAnswer


class Model(Protocol):
    """Whoever answers."""

    def ask(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a question; raises `EndpointError`."""
        ...


class KeptChat:
    """Asks a model within a budget, and keeps what it says before anybody reads it."""

    def __init__(self, model: Model, budget: Budget, book: AttemptBook) -> None:
        self._model = model
        self._budget = budget
        self._book = book
        self.asked = 0
        """How many questions were answered by the model itself."""
        self.reused = 0

    def ask(self, request: ChatRequest, unit: str) -> KeptAnswer:
        """Return the answer to a question about the unit with this digest.

        Raises `BudgetSpent` before it asks what might cost too much, and `EndpointError`.
        """
        kept_answer = self._book.find_answer(request)
        if kept_answer is not None:
            self.reused += 1
            return kept_answer

        self._budget.require(request)
        answer = self._model.ask(request)
        kept_answer = KeptAnswer(
            answer=answer, cost=self._budget.spend(request, answer)
        )
        self._book.add_answer(request, kept_answer, unit=unit)
        self.asked += 1
        return kept_answer
