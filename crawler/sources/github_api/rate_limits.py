"""Request budgets per token, and rate-limit accounting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.errors import BadCredentials, RateLimited
from crawler.sources.options import AnswerMemory

_RESERVED_REQUESTS: Final = 1
_MAX_WAIT_SECONDS: Final = 2 * 3600.0
"""A server that asks for more is not believed: GitHub's own limits are reset each hour."""
# the value of a header of an answer
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_DEFAULT_PAUSE_SECONDS: Final = 60.0
"""After a refusal that does not say for how long, as GitHub's documentation asks."""


@dataclass(slots=True, kw_only=True, eq=False)
class Budget:
    """The requests that one user is allowed; several tokens of a user share it."""

    owner: str
    """Name of the user or installation; empty for an anonymous visitor."""
    token: Callable[[], str] = str
    """Returns the token to send with a request; empty for an anonymous visitor."""
    remaining: int = 1 << 30
    """Requests until `resets_at`; more than any, until the server says."""
    resets_at: float = 0.0
    """By this machine's clock, in seconds."""
    paused_until: float = 0.0
    """Requested by a secondary limit."""

    def __repr__(self) -> str:
        return f"Budget({self.owner or 'anonymous'}, remaining={self.remaining})"

    def available_at(self, now: float) -> float:
        """Return when the next request may be charged to it."""
        available_at = max(self.paused_until, now)

        if self.remaining < _RESERVED_REQUESTS:
            available_at = max(available_at, self.resets_at)
        return available_at


class BudgetPool:
    """All budgets for one server.

    The pauses that the server asks for are remembered for later runs.
    """

    def __init__(
        self,
        budgets: Iterable[Budget],
        memory: AnswerMemory,
        host: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._budgets = list(budgets)
        self._memory = memory
        self._host = host
        self._clock = clock

        for budget in self._budgets:
            budget.paused_until = self._recall_pause(budget)

    def choose(self) -> Budget:
        """Return the budget with the most requests; raises `RateLimited` where all must wait."""
        if not self._budgets:
            raise BadCredentials(
                f"{self._host} refused every token: renew those in `github_tokens`"
            )

        now = self._clock()
        available_budgets = [
            budget for budget in self._budgets if budget.available_at(now) <= now
        ]
        if available_budgets:
            return max(available_budgets, key=lambda budget: budget.remaining)

        wait = min(budget.available_at(now) for budget in self._budgets) - now
        raise RateLimited(
            f"{self._host} asks us to wait {wait:.0f} s: it goes on by itself, "
            "or give more tokens by `github_tokens`",
            retry_after=wait,
        )

    def charge(self, budget: Budget, headers: Mapping[str, str]) -> None:
        """Update a budget from the headers of an answer."""
        remaining = _read_number(headers, "x-ratelimit-remaining")
        reset_time = _read_number(headers, "x-ratelimit-reset")
        if remaining is None or reset_time is None:
            return

        # By the server's clock, since ours may be wrong.
        wait = reset_time - _read_server_time(headers, default=self._clock())
        budget.remaining = remaining
        budget.resets_at = self._clock() + min(max(0.0, wait), _MAX_WAIT_SECONDS)

    def pause(self, budget: Budget, headers: Mapping[str, str]) -> None:
        """Pause a budget for as long as a refusal asks, and remember that."""
        now = self._clock()
        # Secondary limits say it here, primary ones in `x-ratelimit-reset`.
        retry_after = _read_number(headers, "retry-after")

        if retry_after is not None:
            budget.paused_until = now + min(retry_after, _MAX_WAIT_SECONDS)
        elif budget.available_at(now) <= now:
            budget.paused_until = now + _DEFAULT_PAUSE_SECONDS

        available_at = repr(budget.available_at(now))
        self._memory.remember(self._make_key(budget), available_at.encode())

    def drop(self, budget: Budget) -> None:
        """Remove the budget of a token that was refused."""
        self._budgets.remove(budget)

    def _recall_pause(self, budget: Budget) -> float:
        value = self._memory.recall(self._make_key(budget))
        return float(value) if value else 0.0

    def _make_key(self, budget: Budget) -> str:
        return f"rest {self._host} {budget.owner}"


def _read_number(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "")
    return int(text) if _NUMBER.fullmatch(text) else None


def _read_server_time(headers: Mapping[str, str], *, default: float) -> float:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return default
