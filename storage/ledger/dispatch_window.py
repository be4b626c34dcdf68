"""Choose the tasks to dispatch next: a bounded number in each lane, shared fairly between
accounts.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    func,
    literal_column,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.sql.dml import Update

from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    try_locked_transaction,
)
from storage.ledger.claims import active_memberships
from storage.ledger.dependencies import TASK, iter_chunks
from storage.ledger.interface import Lane, State

_CHUNK: Final = 40
_ENDED: Final = (State.DONE, State.REJECTED, State.FAILED, State.CANCELLED)
# one step into the index for each account, however many tasks it has
_ACCOUNTS: Final = text("""
WITH RECURSIVE found(account) AS (
  SELECT min(account) FROM task WHERE queue = :queue AND revision = :revision AND state = 'ready'
  UNION ALL
  SELECT (
    SELECT min(account) FROM task
    WHERE queue = :queue AND revision = :revision AND state = 'ready' AND account > found.account
  )
  FROM found WHERE found.account IS NOT NULL
)
SELECT account FROM found WHERE account IS NOT NULL
""")
# spelled out: a partial index serves only a condition that the planner can see
_READY: Final = TASK.c.state == literal_column(f"'{State.READY}'")
_SENT: Final = TASK.c.sent_at > literal_column("0")
_NUMBER: Final = func.count().label("number")


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchMessage:
    """What a worker is told: which task, and of which of its lives."""

    task: int
    generation: int
    lane: Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchLimits:
    """Bounds on what is with the workers at once; zero means none."""

    messages_per_lane: int = 256
    """Messages in each lane."""
    tasks_per_account: int = 0
    """Tasks of each account in each queue."""
    tasks_per_host: int = 0
    """Tasks that ask one server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatistics:
    """How many tasks there are, and how long they wait."""

    tasks: list[tuple[dict[str, str], float]]
    """By stage, queue and state."""
    finished_tasks: list[tuple[dict[str, str], float]]
    """By stage and code."""
    oldest_seconds: dict[str, float]
    """Queue to seconds."""


class SqlDispatchWindow:
    """The messages that are due, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def count_outstanding(self) -> dict[Lane, int]:
        """Return how many tasks of each lane were told of and not yet claimed."""
        with read_transaction(self._engine) as connection:
            return _outstanding(connection)

    def collect_statistics(self) -> TaskStatistics:
        """Count tasks by stage, queue and state, and those that ended by their codes."""
        groups = TASK.c.stage, TASK.c.queue, TASK.c.state, TASK.c.code
        counted = select(*groups, func.count()).group_by(*groups).order_by(*groups)
        since = select(TASK.c.queue, func.min(TASK.c.created_at)).where(
            _READY, active_memberships().exists()
        )
        since = since.group_by(TASK.c.queue)
        with read_transaction(self._engine) as connection:
            rows = connection.execute(counted).all()
            oldest = connection.execute(since.order_by(TASK.c.queue)).all()
        tasks, finished = Counter[tuple[str, str, str]](), Counter[tuple[str, str]]()
        for stage, queue, state, code, number in rows:
            tasks[stage, queue, state] += number
            if state in _ENDED:
                finished[stage, code or "done"] += number
        now = self._clock()
        return TaskStatistics(
            tasks=[
                (dict(zip(("stage", "queue", "state"), key, strict=True)), n)
                for key, n in tasks.items()
            ],
            finished_tasks=[
                (dict(zip(("stage", "code"), key, strict=True)), n)
                for key, n in finished.items()
            ],
            oldest_seconds={
                queue: max(0.0, now - created) for queue, created in oldest
            },
        )

    def take_due_messages(
        self, lost_after: Mapping[Lane, float], limits: DispatchLimits
    ) -> tuple[DispatchMessage, ...]:
        """Choose and note what is to be sent now; nothing where another dispatcher is at it.

        Of each lane in `lost_after`: a message that was sent that many seconds ago, and whose
        task is still ready, is
        lost.
        """
        now = self._clock()
        with try_locked_transaction(self._engine, AdvisoryLock.DISPATCH) as connection:
            if connection is None:
                return ()
            flight = _Flight(connection, limits)
            chosen = [
                message
                for lane, after in lost_after.items()
                for message in _chosen(
                    connection, lane, now=now, lost=now - after, flight=flight
                )
            ]
            for some in iter_chunks(message.task for message in chosen):
                connection.execute(_marking(some, now))
        return tuple(chosen)


class _Flight:
    """What is with the workers now, by queue and account and by host."""

    def __init__(self, connection: Connection, share: DispatchLimits) -> None:
        self.share = share
        self.accounts: Counter[tuple[str, str]] = Counter()
        self.hosts: Counter[str] = Counter()
        self.sent: Counter[Lane] = Counter()
        columns = TASK.c.queue, TASK.c.account, TASK.c.host
        running = (
            select(*columns, _NUMBER)
            .where(TASK.c.state == State.RUNNING.value)
            .group_by(*columns)
        )
        told = _told(connection)
        for row in told:
            self.sent[Lane(row.queue, row.revision)] += row.number
        for row in (*told, *connection.execute(running).all()):
            self.accounts[row.queue, row.account] += row.number
            self.hosts[row.host] += row.number

    def take(self, queue: str, row: Any) -> bool:
        """Count one more, unless that is beyond what a server or an account may have."""
        if (
            self.share.tasks_per_host
            and row.host
            and self.hosts[row.host] >= self.share.tasks_per_host
        ):
            return False
        if (
            self.share.tasks_per_account
            and self.accounts[queue, row.account] >= self.share.tasks_per_account
        ):
            return False
        self.hosts[row.host] += 1
        self.accounts[queue, row.account] += 1
        return True


def _chosen(
    connection: Connection, lane: Lane, *, now: float, lost: float, flight: _Flight
) -> list[DispatchMessage]:
    room = flight.share.messages_per_lane - flight.sent[lane]
    again = _lost(
        connection, lane, now=now, lost=lost, limit=flight.share.messages_per_lane
    )
    fresh = (
        _fair(connection, lane, now=now, room=room, flight=flight) if room > 0 else []
    )
    return [
        DispatchMessage(task=row.id, generation=row.generation, lane=lane)
        for row in (*again, *fresh)
    ]


def _lost(
    connection: Connection, lane: Lane, *, now: float, lost: float, limit: int
) -> Sequence[Any]:
    told = (
        *_in(lane),
        _READY,
        _SENT,
        TASK.c.sent_at <= lost,
        TASK.c.not_before <= now,
        active_memberships().exists(),
    )
    chosen = select(TASK.c.id, TASK.c.generation).where(*told)
    return connection.execute(
        chosen.order_by(TASK.c.sent_at, TASK.c.id).limit(limit)
    ).all()


def _fair(
    connection: Connection, lane: Lane, *, now: float, room: int, flight: _Flight
) -> list[Any]:
    """Return what each account has first, in turns: whoever has least with the workers is next."""
    waiting = _first_of_each(connection, lane, now, room)
    turns = [
        (flight.accounts[lane.queue, account], account) for account in sorted(waiting)
    ]
    heapq.heapify(turns)
    chosen: list[Any] = []
    while turns and len(chosen) < room:
        held, account = heapq.heappop(turns)
        row = waiting[account].popleft()
        if flight.take(lane.queue, row):
            chosen.append(row)
            held += 1
        if waiting[account]:
            heapq.heappush(turns, (held, account))
    return chosen


def _first_of_each(
    connection: Connection, lane: Lane, now: float, room: int
) -> dict[str, deque[Any]]:
    accounts = list(connection.scalars(_ACCOUNTS, lane._asdict()))
    waiting: dict[str, deque[Any]] = defaultdict(deque)
    for start in range(0, len(accounts), _CHUNK):
        some = [
            _first(lane, account, now, room).subquery().select()
            for account in accounts[start : start + _CHUNK]
        ]
        for row in connection.execute(union_all(*some)).all():
            waiting[row.account].append(row)
    return waiting


def _first(lane: Lane, account: str, now: float, room: int) -> Select[Any]:
    columns = TASK.c.id, TASK.c.generation, TASK.c.account, TASK.c.host
    mine = (
        *_in(lane),
        TASK.c.account == account,
        _READY,
        TASK.c.sent_at <= 0,
        TASK.c.not_before <= now,
    )
    return (
        select(*columns)
        .where(*mine, active_memberships().exists())
        .order_by(TASK.c.priority.desc(), TASK.c.id)
        .limit(room)
    )


def _in(lane: Lane) -> tuple[ColumnElement[bool], ...]:
    return TASK.c.queue == lane.queue, TASK.c.revision == lane.revision


def _marking(tasks: Sequence[int], now: float) -> Update:
    # locked by their ids, as everybody does who changes many
    mine = (
        select(TASK.c.id)
        .where(TASK.c.id.in_(tasks), _READY)
        .order_by(TASK.c.id)
        .with_for_update()
    )
    return update(TASK).where(TASK.c.id.in_(mine)).values(sent_at=now)


def _outstanding(connection: Connection) -> dict[Lane, int]:
    told: Counter[Lane] = Counter()
    for row in _told(connection):
        told[Lane(row.queue, row.revision)] += row.number
    return dict(told)


def _told(connection: Connection) -> Sequence[Any]:
    """Return how many messages are out, by lane, account and host."""
    columns = TASK.c.queue, TASK.c.revision, TASK.c.account, TASK.c.host
    return connection.execute(
        select(*columns, _NUMBER).where(_READY, _SENT).group_by(*columns)
    ).all()
