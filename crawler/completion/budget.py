"""How many tokens, and how much money, a run may spend at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crawler.completion.chat import ChatAnswer, ChatRequest
from crawler.errors import CrawlError

_MILLION: Final = 1_000_000


class BudgetSpent(CrawlError):
    """The next question might cost more than is left."""

    code = "budget-spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a million tokens, in a currency that is yours to know."""

    input: float = 0.0
    output: float = 0.0

    def compute_cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost."""
        return (tokens_in * self.input + tokens_out * self.output) / _MILLION


class Budget:
    """Counts what a run spends; 0 stands for no limit."""

    def __init__(
        self,
        *,
        tokens: int,
        money: float,
        prices: Prices,
        prices_by_model: Mapping[str, Prices] | None = None,
    ) -> None:
        """`prices` are those of every model that `prices_by_model` has none of."""
        self._tokens = tokens
        self._money = money
        self._prices = prices
        self._prices_by_model = prices_by_model or {}
        self.spent_tokens = 0
        self.spent_money = 0.0

    def require(self, request: ChatRequest) -> None:
        """Raise `BudgetSpent` where the dearest answer to `request` would pass a limit."""
        most_tokens = request.count_most_tokens()
        answer_tokens = request.parameters.max_tokens
        most_money = self._find_prices(request).compute_cost(
            most_tokens - answer_tokens, answer_tokens
        )
        if self._tokens and self.spent_tokens + most_tokens > self._tokens:
            raise BudgetSpent(
                f"{self.spent_tokens} of {self._tokens} tokens are spent, and the next "
                f"question may take {most_tokens}: raise `completion_tokens` to go on"
            )
        if self._money and self.spent_money + most_money > self._money:
            raise BudgetSpent(
                f"{self.spent_money:.4f} of {self._money:.4f} is spent, and the next "
                f"question may cost {most_money:.4f}: raise `completion_money` to go on"
            )

    def spend(self, request: ChatRequest, answer: ChatAnswer) -> float:
        """Count the answer to `request`, and return what it cost."""
        prices = self._find_prices(request)
        cost = prices.compute_cost(answer.tokens_in, answer.tokens_out)
        self.spent_tokens += answer.tokens_in + answer.tokens_out
        self.spent_money += cost
        return cost

    def _find_prices(self, request: ChatRequest) -> Prices:
        return self._prices_by_model.get(request.model, self._prices)
