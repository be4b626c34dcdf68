"""Request budgets per token, and rate-limit accounting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.errors import BadCredentials, RateLimited
from crawler.sources.options import AnswerMemory

_RESERVE: Final = 1
_LONGEST: Final = 2 * 3600.0
"""Seconds that a server is believed: GitHub's own allowances come back each hour."""
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_UNTOLD: Final = 60.0
"""Seconds to leave a server alone that refuses without saying for how long, as GitHub's
documentation asks.
"""


@dataclass(slots=True, kw_only=True, eq=False)
class Budget:
    """One allowance: several tokens of one user share it."""

    owner: str
    """Name of the user or installation; empty for an anonymous visitor."""
    token: Callable[[], str] = str
    """Gives the word that goes with a request; empty for an anonymous visitor."""
    remaining: int = 1 << 30
    """Requests until `resets_at`; more than any, until the server says."""
    resets_at: float = 0.0
    """By this machine's clock, in seconds."""
    paused_until: float = 0.0
    """Asked for by a secondary limit."""

    def __repr__(self) -> str:
        return f"Budget({self.owner or 'anonymous'}, remaining={self.remaining})"

    def available_at(self, now: float) -> float:
        """Return when the next request may be charged to it."""
        spent = self.remaining < _RESERVE and self.resets_at > now
        return max(self.paused_until, self.resets_at if spent else 0.0, now)


class BudgetPool:
    """All allowances for one server; what the server asked for is remembered for those who come
    later.
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
        self._place = host
        self._clock = clock
        for budget in self._budgets:
            budget.paused_until = self._remembered(budget)

    def choose(self) -> Budget:
        """Return the allowance with most left; raises `RateLimited` where all must rest."""
        now = self._clock()
        if not self._budgets:
            raise BadCredentials(
                f"{self._place} refused every token: renew those in `github_tokens`"
            )
        free = [each for each in self._budgets if each.available_at(now) <= now]
        if free:
            return max(free, key=lambda each: each.remaining)
        wait = min(each.available_at(now) for each in self._budgets) - now
        raise RateLimited(
            f"{self._place} asks us to wait {wait:.0f} s: it goes on by itself, or give more tokens by `github_tokens`",
            retry_after=wait,
        )

    def charge(self, budget: Budget, headers: Mapping[str, str]) -> None:
        """Learn from an answer's headers what is left; the server's clock counts, not ours."""
        remaining, reset = (
            _number(headers, "x-ratelimit-remaining"),
            _number(headers, "x-ratelimit-reset"),
        )
        if remaining is not None and reset is not None:
            wait = reset - _server_time(headers, self._clock())
            budget.remaining = remaining
            budget.resets_at = self._clock() + min(max(0.0, wait), _LONGEST)

    def pause(self, budget: Budget, headers: Mapping[str, str]) -> None:
        """Leave an allowance alone for as long as a refusal asks."""
        after, now = _number(headers, "retry-after"), self._clock()
        if after is not None:
            budget.paused_until = now + min(after, _LONGEST)
        elif budget.available_at(now) <= now:
            budget.paused_until = now + _UNTOLD
        self._memory.remember(
            self._key(budget), repr(budget.available_at(now)).encode()
        )

    def drop(self, budget: Budget) -> None:
        """Use a refused token no longer."""
        self._budgets.remove(budget)

    def _remembered(self, budget: Budget) -> float:
        kept = self._memory.recall(self._key(budget))
        return float(kept) if kept else 0.0

    def _key(self, budget: Budget) -> str:
        return f"rest {self._place} {budget.owner}"


def _number(told: Mapping[str, str], name: str) -> int | None:
    text = told.get(name, "")
    return int(text) if _NUMBER.fullmatch(text) else None


def _server_time(told: Mapping[str, str], ours: float) -> float:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(told.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return ours
