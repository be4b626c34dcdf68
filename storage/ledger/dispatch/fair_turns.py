"""Whose turn it is: the crawl with least at work, and of it the account with least at work."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any

_AccountTurn = tuple[int, str]
"""How much of an account is at work, and its name, which decides among equals."""
_CrawlTurn = tuple[int, str, str]
"""The same of a crawl: how much, the name of its first account, and its own."""


class FairTurns:
    """The waiting tasks of a queue, rows with an `account` and a `crawl`, in fair turns."""

    def __init__(
        self,
        tasks: Iterable[Any],
        crawls_at_work: Counter[str],
        accounts_at_work: Counter[str],
    ) -> None:
        self._waiting: defaultdict[tuple[str, str], deque[Any]] = defaultdict(deque)
        for task in tasks:
            self._waiting[task.crawl, task.account].append(task)

        self._accounts: defaultdict[str, list[_AccountTurn]] = defaultdict(list)
        for crawl, account in self._waiting:
            self._accounts[crawl].append((accounts_at_work[account], account))
        self._crawls: list[_CrawlTurn] = []
        for crawl, turns in self._accounts.items():
            first_account = min(account for _, account in turns)
            self._crawls.append((crawls_at_work[crawl], first_account, crawl))
            heapq.heapify(turns)

        heapq.heapify(self._crawls)
        self._was_taken = False

    def take(self) -> None:
        """Count the task that was yielded last as at work."""
        self._was_taken = True

    def __iter__(self) -> Iterator[Any]:
        """Yield each task when it has its turn; whoever wants it calls `take` before the next."""
        while self._crawls:
            crawl_count, first_account, crawl = heapq.heappop(self._crawls)
            turns = self._accounts[crawl]
            account_count, account = heapq.heappop(turns)
            tasks = self._waiting[crawl, account]

            self._was_taken = False
            yield tasks.popleft()
            if self._was_taken:
                crawl_count += 1
                account_count += 1

            if tasks:
                heapq.heappush(turns, (account_count, account))
            if turns:
                heapq.heappush(self._crawls, (crawl_count, first_account, crawl))
