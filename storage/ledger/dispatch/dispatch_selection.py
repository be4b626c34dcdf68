"""Select the tasks of a lane to dispatch: lost messages again, then fair shares of crawls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    func,
    literal_column,
    select,
    text,
    union_all,
)

from storage.database.chunks import iter_slices
from storage.ledger.crawls.crawl_membership import active_memberships
from storage.ledger.dispatch.fair_turns import FairTurns
from storage.ledger.interface import Lane, State
from storage.ledger.task_queries import IS_READY
from storage.tables import CRAWL, TASK

_ACCOUNTS_PER_STATEMENT: Final = 40
# A loose index scan: one step into the index for each account, however many tasks it has.
# DISTINCT would read every ready task of the lane.
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
# a literal: the planner uses a partial index only where it can see its condition
_IS_SENT: Final = TASK.c.sent_at > literal_column("0")
_NUMBER: Final = func.count().label("number")
# what several crawls want counts for one of them, always the same one
_CRAWL: Final = (
    active_memberships()
    .with_only_columns(func.coalesce(func.min(CRAWL.c.id), ""))
    .correlate(TASK)
    .scalar_subquery()
    .label("crawl")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchLimits:
    """Bounds on what is with the workers at once; zero means none."""

    messages_per_lane: int = 256
    """Messages in each lane."""
    tasks_per_account: int = 0
    """Tasks of each account in each queue."""
    tasks_per_host: int = 0
    """Tasks that send requests to one server."""


class WorkInFlight:
    """Counts of what is with the workers, by lane, by queue and crawl or account, and by host."""

    def __init__(self, connection: Connection, limits: DispatchLimits) -> None:
        self.limits = limits
        self.by_crawl: Counter[tuple[str, str]] = Counter()
        self.by_account: Counter[tuple[str, str]] = Counter()
        self.by_host: Counter[str] = Counter()
        self.messages_by_lane: Counter[Lane] = Counter()

        sent_rows = _read_sent_messages(connection)
        running_rows = _read_running_tasks(connection)

        for row in sent_rows:
            lane = Lane(row.queue, row.revision)
            self.messages_by_lane[lane] += row.number

        # a sent message will soon be a running task, and counts like one
        for row in (*sent_rows, *running_rows):
            self.by_crawl[row.queue, row.crawl] += row.number
            self.by_account[row.queue, row.account] += row.number
            self.by_host[row.host] += row.number

    def try_add(self, queue: str, task: Any) -> bool:
        """Count one more task, unless its host or its account is at its limit."""
        if self._is_host_full(task.host):
            return False
        if self._is_account_full(queue, task.account):
            return False

        self.by_host[task.host] += 1
        self.by_crawl[queue, task.crawl] += 1
        self.by_account[queue, task.account] += 1
        return True

    def count_crawls(self, queue: str) -> Counter[str]:
        """Return how much of each crawl is at work in `queue`."""
        return _count_in_queue(self.by_crawl, queue)

    def count_accounts(self, queue: str) -> Counter[str]:
        """Return how much of each account is at work in `queue`."""
        return _count_in_queue(self.by_account, queue)

    def _is_host_full(self, host: str) -> bool:
        limit = self.limits.tasks_per_host
        # most tasks send no requests, and have no host
        if not limit or not host:
            return False

        return self.by_host[host] >= limit

    def _is_account_full(self, queue: str, account: str) -> bool:
        limit = self.limits.tasks_per_account
        if not limit:
            return False

        return self.by_account[queue, account] >= limit


def _count_in_queue(counts: Counter[tuple[str, str]], queue: str) -> Counter[str]:
    return Counter(
        {name: number for (of, name), number in counts.items() if of == queue}
    )


def select_due_tasks(
    connection: Connection,
    lane: Lane,
    *,
    now: float,
    lost_before: float,
    in_flight: WorkInFlight,
) -> list[Any]:
    """Return (id, generation) of the tasks of `lane` to send messages about.

    A message that was sent before `lost_before` and whose task is still ready is lost, and is
    sent again. `in_flight` counts what is selected.
    """
    limit = in_flight.limits.messages_per_lane
    lost = _select_lost(connection, lane, now, lost_before, limit)
    due = list(lost)
    # lost messages hold their places already
    room = limit - in_flight.messages_by_lane[lane]
    if room > 0:
        due += _select_fair(connection, lane, now, room, in_flight)

    return due


def _select_lost(
    connection: Connection, lane: Lane, now: float, lost_before: float, limit: int
) -> Sequence[Any]:
    columns = TASK.c
    is_lost = columns.sent_at <= lost_before
    is_due = columns.not_before <= now
    statement = select(columns.id, columns.generation)
    statement = statement.where(
        *_is_in_lane(lane),
        IS_READY,
        _IS_SENT,
        is_lost,
        is_due,
        active_memberships().exists(),
    )
    ordered = statement.order_by(columns.sent_at, columns.id)

    return connection.execute(ordered.limit(limit)).all()


def _select_fair(
    connection: Connection, lane: Lane, now: float, room: int, in_flight: WorkInFlight
) -> list[Any]:
    """Return the first tasks in turns: of the crawl with least in flight, and of it of the account
    with least in flight.
    """
    turns = FairTurns(
        _read_first_tasks(connection, lane, now, room),
        in_flight.count_crawls(lane.queue),
        in_flight.count_accounts(lane.queue),
    )
    selected: list[Any] = []
    for task in turns:
        if in_flight.try_add(lane.queue, task):
            turns.take()
            selected.append(task)
        if len(selected) >= room:
            break

    return selected


def _read_first_tasks(
    connection: Connection, lane: Lane, now: float, room: int
) -> list[Any]:
    """Return the first `room` unsent tasks of each account in `lane`, in order."""
    accounts = list(connection.scalars(_ACCOUNTS, lane._asdict()))
    waiting: list[Any] = []

    for chunk in iter_slices(accounts, _ACCOUNTS_PER_STATEMENT):
        selects: list[Select[Any]] = []
        for account in chunk:
            first_tasks = _first_tasks_of_account(lane, account, now, room)
            # SQLite takes a LIMIT inside a UNION only in a subquery
            selects.append(first_tasks.subquery().select())

        waiting += connection.execute(union_all(*selects)).all()

    return waiting


def _first_tasks_of_account(
    lane: Lane, account: str, now: float, room: int
) -> Select[Any]:
    columns = TASK.c
    is_of_account = columns.account == account
    is_unsent = columns.sent_at <= 0
    is_due = columns.not_before <= now
    statement = select(
        columns.id,
        columns.generation,
        columns.account,
        columns.host,
        _CRAWL,
    )
    statement = statement.where(
        *_is_in_lane(lane),
        is_of_account,
        IS_READY,
        is_unsent,
        is_due,
        active_memberships().exists(),
    )
    ordered = statement.order_by(columns.priority.desc(), columns.id)

    return ordered.limit(room)


def _is_in_lane(lane: Lane) -> tuple[ColumnElement[bool], ...]:
    is_of_queue = TASK.c.queue == lane.queue
    is_of_revision = TASK.c.revision == lane.revision
    return is_of_queue, is_of_revision


def count_outstanding(connection: Connection) -> dict[Lane, int]:
    """Return how many messages of each lane were sent and not yet claimed."""
    lane = TASK.c.queue, TASK.c.revision
    sent = select(*lane, _NUMBER).where(IS_READY, _IS_SENT).group_by(*lane)
    return {
        Lane(row.queue, row.revision): row.number for row in connection.execute(sent)
    }


def _read_sent_messages(connection: Connection) -> Sequence[Any]:
    """Return the number of unclaimed messages by lane, crawl, account and host."""
    return _count_tasks(
        connection, ("queue", "revision", "account", "host"), IS_READY, _IS_SENT
    )


def _read_running_tasks(connection: Connection) -> Sequence[Any]:
    """Return the number of leased tasks by queue, crawl, account and host."""
    is_running = TASK.c.state == State.RUNNING.value
    return _count_tasks(connection, ("queue", "account", "host"), is_running)


def _count_tasks(
    connection: Connection, names: Sequence[str], *conditions: ColumnElement[bool]
) -> Sequence[Any]:
    tasks = (
        select(*(TASK.c[name] for name in names), _CRAWL).where(*conditions).subquery()
    )
    statement = select(*tasks.c, _NUMBER).group_by(*tasks.c)
    return connection.execute(statement).all()
