"""Watch a crawl: tasks by stage and state, their rate, the time left, and the workers."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from storage.ledger.interface import Stage, State
from workers.config.settings import Settings

if TYPE_CHECKING:
    from storage.ledger.dispatch.worker_registry import RegisteredWorker
    from storage.open import Storage

_RATE_SECONDS: Final = 120.0
"""Seconds over which a rate is taken."""
_OPEN_STATES: Final = (State.WAITING, State.READY, State.RUNNING)
_UNITS: Final = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


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
        return _count_open(self.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlStatus:
    """How everything stands at one moment."""

    state: str
    """Of the crawl; empty where all are looked at."""
    hold_reason: str
    """Which quota holds the crawl."""
    stages: Mapping[Stage, StageProgress]
    total: StageProgress
    workers: tuple[RegisteredWorker, ...]
    blocked_queues: Mapping[str, int]
    """Ready tasks of each queue that nobody serves."""
    abandoned: int
    """Running tasks whose process is gone."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How many tasks of each stage had ended at a moment."""

    time: float
    ended: Counter[Stage]


@dataclass(slots=True)
class StatusWatcher:
    """Looks at a crawl, or at all, again and again."""

    storage: Storage
    settings: Settings
    crawl: str = ""
    expects_workers: bool = False
    """Whether work waits for workers though none was seen and no broker is set."""
    _looks: deque[_Look] = field(default_factory=deque)

    def read_status(self) -> CrawlStatus:
        """Return how everything stands now; rates are told from the second look on."""
        now = self.storage.clock()
        states: dict[Stage, Counter[State]] = defaultdict(Counter)
        for stage, state, _, number in self.storage.ledger.task_counts(self.crawl):
            states[stage][state] += number
        self._remember_look(now, states)

        workers = self.storage.worker_registry.live_workers()
        is_cluster = bool(self.expects_workers or workers or self.settings.broker)
        crawl_state = self._crawl_state(is_cluster) if self.crawl else ""

        all_states: Counter[State] = Counter()
        stages: dict[Stage, StageProgress] = {}
        for stage, stage_states in states.items():
            stages[stage] = self._measure_progress(stage_states, (stage,))
            all_states += stage_states

        total = self._measure_progress(all_states, tuple(states))

        # on one machine the processes of a crawl are in no registry, and nothing is blocked
        blocked_queues: dict[str, int] = {}
        if is_cluster:
            blocked_queues = self.storage.worker_registry.blocked_queues(
                self.crawl, self.settings.autoscaled
            )
        return CrawlStatus(
            state=crawl_state,
            hold_reason=self.storage.quotas.hold_reason(self.crawl),
            stages=stages,
            total=total,
            workers=workers,
            blocked_queues=blocked_queues,
            abandoned=self.storage.ledger.count_abandoned(self.crawl),
        )

    def _crawl_state(self, is_cluster: bool) -> str:
        if is_cluster:
            # with it comes all that a crawl validates
            from workers.cluster import crawl_control

            return crawl_control.cluster_crawl_state(
                self.settings, self.storage, self.crawl
            )

        # the processes of a crawl on one machine are no workers that one could miss
        state = self.storage.ledger.crawl_state(self.crawl)
        if state == "cancelled" or self.storage.ledger.count_unfinished(self.crawl):
            return state
        return "complete"

    def _remember_look(
        self, now: float, states: Mapping[Stage, Counter[State]]
    ) -> None:
        ended: Counter[Stage] = Counter()
        for stage, stage_states in states.items():
            for state, number in stage_states.items():
                if state not in _OPEN_STATES:
                    ended[stage] += number
        self._looks.append(_Look(now, ended))

        # the first goes once the second is old enough to take a rate from
        while len(self._looks) > 2 and now - self._looks[1].time > _RATE_SECONDS:
            self._looks.popleft()

    def _measure_progress(
        self, states: Counter[State], stages: Sequence[Stage]
    ) -> StageProgress:
        first_look = self._looks[0]
        last_look = self._looks[-1]
        if last_look.time <= first_look.time:
            return StageProgress(states=states, per_minute=None, seconds_left=None)

        ended_between = 0
        for stage in stages:
            ended_between += last_look.ended[stage] - first_look.ended[stage]

        # negative where tasks were tried again: their end counts no more
        ended_between = max(0, ended_between)
        seconds_between = last_look.time - first_look.time
        rate = ended_between / seconds_between

        seconds_left = _count_open(states) / rate if rate else None
        return StageProgress(
            states=states, per_minute=60 * rate, seconds_left=seconds_left
        )


def _count_open(states: Mapping[State, int]) -> int:
    count = 0
    for state in _OPEN_STATES:
        count += states.get(state, 0)

    return count


def status_rows(status: CrawlStatus) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table that shows it."""
    yield ("stage", *(state.value for state in State), "per minute", "left")
    for stage, progress in status.stages.items():
        cells = _iter_cells(progress)
        yield (stage.value, *cells)

    total_cells = _iter_cells(status.total)
    yield ("all", *total_cells)


def _iter_cells(progress: StageProgress) -> Iterator[str]:
    for state in State:
        number = progress.states.get(state, 0)
        yield str(number)

    rate = progress.per_minute
    yield "" if rate is None else f"{rate:.1f}"

    # a stage that is through has nothing left, whatever its rate was
    yield format_duration(progress.seconds_left) if progress.tasks_left else ""


def format_duration(seconds: float | None) -> str:
    """Return `3 min`, `2 h 5 min`, or `?` for what nobody knows."""
    if seconds is None:
        return "?"

    remaining = max(1, round(seconds))
    parts: list[str] = []
    for unit_seconds, unit in _UNITS:
        # two units are as precise as any estimate is
        if remaining >= unit_seconds and len(parts) < 2:
            number, remaining = divmod(remaining, unit_seconds)
            parts.append(f"{number} {unit}")

    return " ".join(parts)
