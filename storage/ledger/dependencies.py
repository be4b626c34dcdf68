"""Dependencies between tasks: counted in SQL, released when the last child ends, restored by a
retry.

Always true between two transactions: `pending_children` of a task is the number of tasks that
it waits for and that
have not ended; a task with some is `waiting`, and none is `waiting` without (but one inserted a
moment ago).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from storage.ledger.interface import State
from storage.tables import Task, Wait, table

TASK: Final = table(Task)
WAIT: Final = table(Wait)
UNFINISHED_STATES: Final = (State.WAITING, State.READY, State.RUNNING)
Key = TypeVar("Key", int, str)
CHUNK_SIZE: Final = 500
"""Values in one IN list."""

_JOINERS: Final = select(WAIT.c.task).where(WAIT.c.child == bindparam("child"))
_COUNT_DOWN: Final = (
    update(TASK)
    .where(TASK.c.id.in_(select(WAIT.c.task).where(WAIT.c.child == bindparam("child"))))
    .values(pending_children=TASK.c.pending_children - 1)
)
_RELEASE: Final = (
    update(TASK)
    .where(TASK.c.id.in_(select(WAIT.c.task).where(WAIT.c.child == bindparam("child"))))
    .where(TASK.c.state == State.WAITING, TASK.c.pending_children <= 0)
    .values(state=State.READY)
)


def iter_chunks(keys: Iterable[Key]) -> Iterable[Sequence[Key]]:
    """Cut `keys`, sorted, into pieces that fit one statement."""
    ordered = sorted(keys)
    return (
        ordered[start : start + CHUNK_SIZE]
        for start in range(0, len(ordered), CHUNK_SIZE)
    )


def release_dependents(connection: Connection, task: int) -> None:
    """Count a task that has just ended, and make ready what waited for it alone."""
    if connection.execute(_JOINERS, {"child": task}).first() is None:
        return
    connection.execute(_COUNT_DOWN, {"child": task})
    connection.execute(_RELEASE, {"child": task})


def set_dependencies(
    connection: Connection, task: int, children: Sequence[int]
) -> None:
    """Let `task` wait for `children`; nothing changes when it already waits, or waited, for
    just these.
    """
    waited = set(connection.scalars(select(WAIT.c.child).where(WAIT.c.task == task)))
    fresh = (
        TASK.c.id == task,
        TASK.c.state == State.WAITING,
        TASK.c.pending_children == 0,
    )
    if (
        waited == set(children)
        and connection.scalar(select(TASK.c.id).where(*fresh)) is None
    ):
        return
    connection.execute(delete(WAIT).where(WAIT.c.task == task))
    if children:
        connection.execute(
            insert(WAIT),
            [{"task": task, "child": child} for child in sorted(set(children))],
        )
    rerun_with_dependents(connection, [task])


def rerun_with_dependents(connection: Connection, tasks: Iterable[int]) -> None:
    """Make `tasks` and all that joins them run again: fenced, ready, or waiting for those of
    them that they join.
    """
    tasks = list(tasks)
    for some in iter_chunks(_with_joiners(connection, tasks)):
        chosen = TASK.c.id.in_(some)
        connection.execute(
            update(TASK)
            .where(chosen)
            .values(
                state=State.WAITING,
                generation=TASK.c.generation + 1,
                attempt=0,
                kills=0,
                interruptions=0,
                not_before=0.0,
                sent_at=0.0,
                owner="",
                lease=0.0,
                code="",
                message="",
                ended_at=0.0,
            )
        )
    _count(connection, tasks)


def _with_joiners(connection: Connection, tasks: Iterable[int]) -> set[int]:
    found: set[int] = set()
    edge = set(tasks)
    while edge:
        found |= edge
        above: set[int] = set()
        for some in iter_chunks(edge):
            above.update(
                connection.scalars(select(WAIT.c.task).where(WAIT.c.child.in_(some)))
            )
        edge = above - found
    return found


def _count(connection: Connection, tasks: Iterable[int]) -> None:
    for some in iter_chunks(_with_joiners(connection, tasks)):
        chosen = TASK.c.id.in_(some)
        connection.execute(
            update(TASK).where(chosen).values(pending_children=_unended_children())
        )
        connection.execute(
            update(TASK)
            .where(chosen, TASK.c.pending_children == 0)
            .values(state=State.READY)
        )


def _unended_children() -> ColumnElement[int]:
    child = TASK.alias("child")
    return (
        select(func.count())
        .select_from(WAIT.join(child, child.c.id == WAIT.c.child))
        .where(WAIT.c.task == TASK.c.id, child.c.state.in_(UNFINISHED_STATES))
        .correlate(TASK)
        .scalar_subquery()
    )
