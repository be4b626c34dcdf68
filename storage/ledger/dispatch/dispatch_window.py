"""The dispatch window: a bounded number of messages in each lane, shared fairly by accounts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select, update
from sqlalchemy.sql.dml import Update

from storage.database.chunks import iter_chunks
from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    try_locked_transaction,
)
from storage.ledger.dispatch.dispatch_selection import (
    DispatchLimits,
    WorkInFlight,
    count_outstanding,
    select_due_tasks,
)
from storage.ledger.interface import Lane
from storage.ledger.task_queries import IS_READY, TaskStatistics, read_statistics
from storage.tables import TASK

__all__ = ("DispatchLimits", "DispatchMessage", "SqlDispatchWindow", "TaskStatistics")


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchMessage:
    """A message to a worker: a task, and the generation in which it may be claimed."""

    task: int
    generation: int
    lane: Lane


class SqlDispatchWindow:
    """The messages that are due, in an SQL database."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    def count_outstanding(self) -> dict[Lane, int]:
        """Return how many messages of each lane were sent and not yet claimed."""
        with read_transaction(self._engine) as connection:
            return count_outstanding(connection)

    def collect_statistics(self) -> TaskStatistics:
        """Count tasks by stage, queue and state, and those that ended by their codes."""
        return read_statistics(self._engine, self._clock)

    def take_due_messages(
        self, lost_after: Mapping[Lane, float], limits: DispatchLimits
    ) -> tuple[DispatchMessage, ...]:
        """Select the messages to send now and mark them as sent.

        Returns none where another dispatcher is selecting. `lost_after` has the lanes, and
        after how many seconds a message is lost whose task is still ready.
        """
        now = self._clock()
        messages: list[DispatchMessage] = []

        with try_locked_transaction(self._engine, AdvisoryLock.DISPATCH) as connection:
            if connection is None:
                return ()

            in_flight = WorkInFlight(connection, limits)

            for lane, lost_seconds in lost_after.items():
                due = select_due_tasks(
                    connection,
                    lane,
                    now=now,
                    lost_before=now - lost_seconds,
                    in_flight=in_flight,
                )
                messages += [
                    DispatchMessage(task=row.id, generation=row.generation, lane=lane)
                    for row in due
                ]

            for chunk in iter_chunks(message.task for message in messages):
                connection.execute(_mark_sent(chunk, now))

        return tuple(messages)


def _mark_sent(tasks: Sequence[int], now: float) -> Update:
    # locked in the order of their ids, as everybody does who changes many tasks
    locked = (
        select(TASK.c.id)
        .where(TASK.c.id.in_(tasks), IS_READY)
        .order_by(TASK.c.id)
        .with_for_update()
    )
    return update(TASK).where(TASK.c.id.in_(locked)).values(sent_at=now)
