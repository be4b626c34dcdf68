"""Watch a crawl: tasks by stage and state, their rate, the time left, and the workers."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from storage.ledger.interface import Stage, State
from workers.cluster import crawl_control
from workers.config.settings import Settings

if TYPE_CHECKING:
    from storage.ledger.worker_registry import RegisteredWorker
    from storage.open import Storage

_LOOKED_BACK: Final = 120.0
"""Seconds over which a rate is taken."""
_OPEN: Final = (State.WAITING, State.READY, State.RUNNING)
_SECONDS: Final = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StageProgress:
    """How far a stage is."""

    states: Mapping[State, int]
    per_minute: float | None
    """Tasks that ended; `None` before there are two looks to tell."""
    seconds_left: float | None
    """For what is known to be left, at that rate; `None` where nobody can say."""

    @property
    def tasks_left(self) -> int:
        """Tasks that have not ended."""
        return sum(self.states.get(state, 0) for state in _OPEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlStatus:
    """How everything stands at one moment."""

    state: str
    """Of the crawl; empty where all are looked at."""
    stages: Mapping[Stage, StageProgress]
    total: StageProgress
    workers: tuple[RegisteredWorker, ...]
    blocked_queues: Mapping[str, int]
    """Ready tasks of each queue that nobody serves."""


@dataclass(slots=True)
class StatusWatcher:
    """Looks at a crawl, or at all, again and again."""

    storage: Storage
    settings: Settings
    crawl: str = ""
    expects_workers: bool = False
    """Whether work waits for workers though none was seen and no broker is set."""
    _ended: deque[tuple[float, Counter[Stage]]] = field(default_factory=deque)

    def read_status(self) -> CrawlStatus:
        """Return how everything stands now; rates are told from the second look on."""
        now = self.storage.clock()
        states: dict[Stage, Counter[State]] = defaultdict(Counter)
        for stage, state, _, number in self.storage.ledger.task_counts(self.crawl):
            states[stage][state] += number
        self._remember(now, states)
        workers = self.storage.worker_registry.live_workers()
        is_cluster = bool(self.expects_workers or workers or self.settings.broker)
        return CrawlStatus(
            state=self._state(is_cluster) if self.crawl else "",
            stages={
                stage: self._progress(counted, (stage,))
                for stage, counted in states.items()
            },
            total=self._progress(sum(states.values(), Counter()), tuple(states)),
            workers=workers,
            blocked_queues=self.storage.worker_registry.blocked_queues(
                self.crawl, self.settings.autoscaled
            )
            if is_cluster
            else {},
        )

    def _state(self, is_cluster: bool) -> str:
        if is_cluster:
            return crawl_control.cluster_crawl_state(
                self.settings, self.storage, self.crawl
            )
        # the processes of a crawl on one machine are no workers that one could miss
        held = self.storage.ledger.crawl_state(self.crawl)
        return (
            held
            if held == "cancelled" or self.storage.ledger.count_unfinished(self.crawl)
            else "complete"
        )

    def _remember(self, now: float, states: Mapping[Stage, Counter[State]]) -> None:
        ended = {
            stage: sum(n for state, n in each.items() if state not in _OPEN)
            for stage, each in states.items()
        }
        self._ended.append((now, Counter(ended)))
        while len(self._ended) > 2 and now - self._ended[1][0] > _LOOKED_BACK:
            self._ended.popleft()

    def _progress(
        self, states: Counter[State], stages: Sequence[Stage]
    ) -> StageProgress:
        (first, before), (last, after) = self._ended[0], self._ended[-1]
        if last <= first:
            return StageProgress(states=states, per_minute=None, seconds_left=None)
        rate = max(0, sum(after[stage] - before[stage] for stage in stages)) / (
            last - first
        )
        left = sum(states[state] for state in _OPEN)
        return StageProgress(
            states=states,
            per_minute=60 * rate,
            seconds_left=left / rate if rate else None,
        )


def status_rows(status: CrawlStatus) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table that shows it."""
    yield ("stage", *(state.value for state in State), "per minute", "left")
    for stage, progress in status.stages.items():
        yield (stage.value, *_cells(progress))
    yield ("all", *_cells(status.total))


def _cells(progress: StageProgress) -> Iterator[str]:
    yield from (str(progress.states.get(state, 0)) for state in State)
    yield "" if progress.per_minute is None else f"{progress.per_minute:.1f}"
    yield format_duration(progress.seconds_left) if progress.tasks_left else ""


def format_duration(seconds: float | None) -> str:
    """Return `3 min`, `2 h 5 min`, or `?` for what nobody knows."""
    if seconds is None:
        return "?"
    rest, parts = max(1, round(seconds)), list[str]()
    for size, name in _SECONDS:
        if rest >= size and len(parts) < 2:
            parts.append(f"{rest // size} {name}")
            rest %= size
    return " ".join(parts)
