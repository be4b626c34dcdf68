"""Simulate a crawl on one ledger, in seconds of its own clock."""

from __future__ import annotations

import argparse
import heapq
import random
from collections import deque
from dataclasses import dataclass, field

STAGE_ORDER = ("list", "clone", "build-db", "extract", "link", "port", "validate")
WINDOW = 256
"""Tasks that are sent and not yet claimed, at most."""
REST = 0.2
"""Seconds between rounds of the dispatcher that found nothing to send."""

Task = tuple[int, int]
"""(repository, stage), the stage as an index of `STAGE_ORDER`."""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Seconds of a processor that a task costs where it cannot be spread over workers."""

    ledger: float
    """Of the database: claimed and finished."""
    dispatch: float
    """Of the dispatcher: chosen and sent."""
    round: float
    """Of the dispatcher, whatever it sends."""


@dataclass
class Simulation:
    """How a run went, in seconds of its own clock."""

    seconds: float = 0.0
    tasks: int = 0
    worked: float = 0.0
    ledger: float = 0.0
    dispatch: float = 0.0
    ready: deque[tuple[int, int]] = field(default_factory=deque)
    """(repository, stage) of tasks that are due and not sent."""


def simulate_crawl(
    times: dict[str, list[float]],
    batches: dict[str, int],
    costs: Costs,
    arguments: argparse.Namespace,
    shorter: int,
) -> Simulation:
    """Play a crawl: every task is sent in a round, claimed, worked at, and finished, which may
    make others due.

    `times` are the seconds of tasks by stage, of which each task takes one at random,
    divided by `shorter`; `batches` says how many tasks of a stage a repository has.
    """
    crawl = _Crawl(times, batches, costs, arguments, shorter)
    while crawl.events:
        now, _, ended = heapq.heappop(crawl.events)
        if ended is None:
            crawl.run_round(now)
        else:
            crawl.finish_task(ended)

        crawl.start_tasks(now)
        crawl.play.seconds = max(crawl.play.seconds, now if ended else 0.0)

    return crawl.play


class _Crawl:
    """The state of a simulated crawl between two events."""

    def __init__(
        self,
        times: dict[str, list[float]],
        batches: dict[str, int],
        costs: Costs,
        arguments: argparse.Namespace,
        shorter: int,
    ) -> None:
        self._times = times
        self._batches = [batches[stage] for stage in STAGE_ORDER]
        self._costs = costs
        self._shorter = shorter
        self._chance = random.Random(8)
        self._free_workers = arguments.workers
        self._core_free_at = [0.0] * arguments.cores
        self._sent: deque[Task] = deque()
        self._number = 0

        self._unfinished: dict[Task, int] = {}
        self.play = Simulation()
        for repository in range(arguments.repositories):
            for stage, count in enumerate(self._batches):
                self._unfinished[repository, stage] = count
            self.play.ready.extend([(repository, 0)] * self._batches[0])

        # (time, number, task that ends then or None for a round of the dispatcher);
        # the number keeps events of the same time in order
        self.events: list[tuple[float, int, Task | None]] = [(0.0, 0, None)]

    def run_round(self, now: float) -> None:
        """Send what is due as far as the window allows, and plan the next round."""
        count = min(len(self.play.ready), WINDOW - len(self._sent))
        batch = [self.play.ready.popleft() for _ in range(count)]
        self._sent.extend(batch)
        spent = self._costs.round + self._costs.dispatch * len(batch)
        self.play.dispatch += spent

        if any(self._unfinished.values()):
            rest = REST / 10 if batch else REST
            self._push(now + spent + rest, None)

    def finish_task(self, task: Task) -> None:
        """Free a worker; the last task of a stage makes those of the next one due."""
        self._free_workers += 1
        self.play.tasks += 1
        self._unfinished[task] -= 1
        repository, stage = task
        next_stage = stage + 1
        if not self._unfinished[task] and next_stage < len(STAGE_ORDER):
            due = [(repository, next_stage)] * self._batches[next_stage]
            self.play.ready.extend(due)

    def start_tasks(self, now: float) -> None:
        """Give what is sent to free workers; a claim waits for a core of the database."""
        while self._sent and self._free_workers:
            self._free_workers -= 1
            task = self._sent.popleft()
            started = max(now, heapq.heappop(self._core_free_at))
            heapq.heappush(self._core_free_at, started + self._costs.ledger)
            self.play.ledger += self._costs.ledger

            stage = STAGE_ORDER[task[1]]
            work = self._chance.choice(self._times[stage]) / self._shorter
            self.play.worked += work
            self._push(started + self._costs.ledger + work, task)

    def _push(self, moment: float, task: Task | None) -> None:
        self._number += 1
        heapq.heappush(self.events, (moment, self._number, task))
